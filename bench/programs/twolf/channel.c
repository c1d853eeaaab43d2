/* Channels: how dense the segments lie in each column, and the switching of segments between channels. */
#include "twolf.h"

void channel_build(struct circuit *circuit)
{
    int widest = circuit->row_length;
    for (int r = 0; r < circuit->row_count; r++) {
        if (circuit->rows[r].used > widest) {
            widest = circuit->rows[r].used;
        }
    }
    circuit->columns = widest / COLUMN_WIDTH + 1;
    size_t channels = (size_t)circuit->row_count + 1;
    circuit->channels = program_allocate(channels, sizeof *circuit->channels);
    for (size_t i = 0; i < channels; i++) {
        struct channel *channel = &circuit->channels[i];
        channel->density = program_allocate((size_t)circuit->columns, sizeof *channel->density);
        channel->histogram =
            program_allocate((size_t)circuit->segment_count + 2, sizeof *channel->histogram);
        channel->histogram[0] = circuit->columns;
    }
}

/* Both return by how much the sum of the squares of the densities changes. */
int channel_add(struct channel *channel, const struct segment *segment)
{
    int change = 0;
    for (int column = segment->left; column <= segment->right; column++) {
        int density = channel->density[column]++;
        channel->histogram[density]--;
        channel->histogram[density + 1]++;
        change += 2 * density + 1;
        if (density + 1 > channel->tracks) {
            channel->tracks = density + 1;
        }
    }
    return change;
}

int channel_remove(struct channel *channel, const struct segment *segment)
{
    int change = 0;
    for (int column = segment->left; column <= segment->right; column++) {
        int density = channel->density[column]--;
        channel->histogram[density]--;
        channel->histogram[density - 1]++;
        change -= 2 * density - 1;
    }
    while (channel->tracks > 0 && channel->histogram[channel->tracks] == 0) {
        channel->tracks--;
    }
    return change;
}

int channel_total_tracks(const struct circuit *circuit)
{
    int tracks = 0;
    for (int i = 0; i <= circuit->row_count; i++) {
        tracks += circuit->channels[i].tracks;
    }
    return tracks;
}

/* Fewer tracks decide; where they are the same, what levels the densities out. */
static bool try_switch(struct circuit *circuit, struct segment *segment)
{
    struct channel *here = &circuit->channels[segment->channel];
    struct channel *there = &circuit->channels[segment->other];
    int before = here->tracks + there->tracks;
    int squares = channel_remove(here, segment) + channel_add(there, segment);
    int tracks = here->tracks + there->tracks - before;
    if (tracks > 0 || (tracks == 0 && squares > 0)) {
        channel_remove(there, segment);
        channel_add(here, segment);
        return false;
    }
    int other = segment->channel;
    segment->channel = segment->other;
    segment->other = other;
    return true;
}

int channel_switch_segments(struct circuit *circuit, int tries_per_segment)
{
    int switched = 0;
    int tries = circuit->segment_count * tries_per_segment;
    for (int i = 0; i < tries; i++) {
        uint32_t pick = program_random_below(&circuit->random, (uint32_t)circuit->segment_count);
        struct segment *segment = circuit->segments[pick];
        if (segment->other >= 0) {
            switched += try_switch(circuit, segment);
        }
    }
    return switched;
}

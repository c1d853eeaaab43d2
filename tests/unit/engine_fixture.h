/* One rig for each test of a file, made before it and gone behind it. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "engine_rig.h"

static struct rig rig;

static int create(void **unused)
{
    (void)unused;
    rig_create(&rig);
    return 0;
}

static int destroy(void **unused)
{
    (void)unused;
    rig_destroy(&rig);
    return 0;
}

#endif

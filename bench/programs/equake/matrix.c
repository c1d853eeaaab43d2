/* The sparse symmetric stiffness matrix: its structure from the mesh, its assembly, and its product. */
#include "equake.h"
#include "prefetch.h"

/* While the structure grows, each row is a chain of columns in ascending order. */
struct link {
    int column;
    struct link *next;
};

static int insert_column(struct link **chain, int column)
{
    while (*chain != NULL && (*chain)->column < column) {
        chain = &(*chain)->next;
    }
    if (*chain != NULL && (*chain)->column == column) {
        return 0;
    }
    struct link *link = program_allocate(1, sizeof *link);
    link->column = column;
    link->next = *chain;
    *chain = link;
    return 1;
}

static int chain_elements(struct link **chains, const struct mesh *mesh)
{
    int blocks = 0;
    for (int i = 0; i < mesh->nodes; i++) {
        blocks += insert_column(&chains[i], i);
    }
    for (int i = 0; i < mesh->elements; i++) {
        const int *corner = mesh->corner[i];
        for (int a = 0; a < CORNERS; a++) {
            for (int b = 0; b < CORNERS; b++) {
                if (corner[a] < corner[b]) {
                    blocks += insert_column(&chains[corner[a]], corner[b]);
                }
            }
        }
    }
    return blocks;
}

static void flatten_chains(struct matrix *matrix, struct link **chains)
{
    int next_block = 0;
    for (int row = 0; row < matrix->rows; row++) {
        matrix->index[row] = next_block;
        struct link *link = chains[row];
        while (link != NULL) {
            struct link *next = link->next;
            matrix->column[next_block++] = link->column;
            free(link);
            link = next;
        }
    }
    matrix->index[matrix->rows] = next_block;
}

struct matrix matrix_build(const struct mesh *mesh)
{
    struct matrix matrix = {0};
    struct link **chains = program_allocate((size_t)mesh->nodes, sizeof(struct link *));
    matrix.rows = mesh->nodes;
    matrix.blocks = chain_elements(chains, mesh);
    matrix.index = program_allocate((size_t)matrix.rows + 1, sizeof *matrix.index);
    matrix.column = program_allocate((size_t)matrix.blocks + PREFETCH_ROOM(2 * BLOCKS_AHEAD),
                                     sizeof *matrix.column);
    flatten_chains(&matrix, chains);
    free(chains);
    program_check(matrix.index[matrix.rows] == matrix.blocks, "blocks were miscounted");
    matrix.block = program_allocate((size_t)matrix.blocks + PREFETCH_ROOM(2 * BLOCKS_AHEAD),
                                    sizeof *matrix.block);
    for (int i = 0; i < matrix.blocks; i++) {
        matrix.block[i] = rows_allocate(AXES);
    }
    return matrix;
}

void matrix_free(struct matrix *matrix)
{
    for (int i = 0; i < matrix->blocks; i++) {
        rows_free(matrix->block[i], AXES);
    }
    free(matrix->block);
    free(matrix->index);
    free(matrix->column);
}

static double **find_block(const struct matrix *matrix, int row, int column)
{
    int at = matrix->index[row];
    while (at < matrix->index[row + 1] && matrix->column[at] != column) {
        at++;
    }
    program_check(at < matrix->index[row + 1], "two nodes of an element are not neighbours");
    return matrix->block[at];
}

static void add_element(struct matrix *matrix, const struct element *element, const int *corner)
{
    for (int a = 0; a < CORNERS; a++) {
        for (int b = 0; b < CORNERS; b++) {
            if (corner[a] > corner[b]) {
                continue;
            }
            double **block = find_block(matrix, corner[a], corner[b]);
            for (int i = 0; i < AXES; i++) {
                for (int j = 0; j < AXES; j++) {
                    block[i][j] += element->stiffness[a][b][i][j];
                }
            }
        }
    }
}

void matrix_assemble(struct matrix *matrix, const struct mesh *mesh)
{
    for (int i = 0; i < mesh->elements; i++) {
        struct element element;
        element_compute(&element, mesh, i);
        add_element(matrix, &element, mesh->corner[i]);
    }
}

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

/* The largest sum of a row of the inverse mass times the stiffness: no eigenvalue is larger. */
double matrix_row_sum(const struct matrix *matrix, double **mass)
{
    double **sum = rows_allocate(matrix->rows);
    for (int row = 0; row < matrix->rows; row++) {
        for (int at = matrix->index[row]; at < matrix->index[row + 1]; at++) {
            int column = matrix->column[at];
            for (int i = 0; i < AXES; i++) {
                for (int j = 0; j < AXES; j++) {
                    double part = magnitude(matrix->block[at][i][j]);
                    sum[row][i] += part;
                    if (column != row) {
                        sum[column][j] += part;
                    }
                }
            }
        }
    }
    double largest = 0.0;
    for (int row = 0; row < matrix->rows; row++) {
        for (int axis = 0; axis < AXES; axis++) {
            double part = sum[row][axis] / mass[row][axis];
            largest = part > largest ? part : largest;
        }
    }
    rows_free(sum, matrix->rows);
    return largest;
}

/* A block's rows are allocated behind it: two lines. */
static inline void prefetch_block(double **const *a, const int *column, double *const *v,
                                  double *const *w)
{
    PREFETCH(a[BLOCKS_AHEAD]);
    PREFETCH(a[BLOCKS_AHEAD] + 8);
    PREFETCH(&v[column[2 * BLOCKS_AHEAD]]);
    PREFETCH(&w[column[2 * BLOCKS_AHEAD]]);
    PREFETCH(v[column[BLOCKS_AHEAD]]);
    PREFETCH(w[column[BLOCKS_AHEAD]]);
}

/* Adds the product of the matrix and v to w: each stored block serves its mirror image, too. */
void smvp(int nodes, double ***a, const int *column, const int *index, double **v, double **w)
{
    for (int i = 0; i < nodes; i++) {
        int at = index[i];
        int last = index[i + 1];
        double sum0 = a[at][0][0] * v[i][0] + a[at][0][1] * v[i][1] + a[at][0][2] * v[i][2];
        double sum1 = a[at][1][0] * v[i][0] + a[at][1][1] * v[i][1] + a[at][1][2] * v[i][2];
        double sum2 = a[at][2][0] * v[i][0] + a[at][2][1] * v[i][1] + a[at][2][2] * v[i][2];
        for (at++; at < last; at++) {
            int col = column[at];
            prefetch_block(a + at, column + at, v, w);
            sum0 += a[at][0][0] * v[col][0] + a[at][0][1] * v[col][1] + a[at][0][2] * v[col][2];
            sum1 += a[at][1][0] * v[col][0] + a[at][1][1] * v[col][1] + a[at][1][2] * v[col][2];
            sum2 += a[at][2][0] * v[col][0] + a[at][2][1] * v[col][1] + a[at][2][2] * v[col][2];
            w[col][0] += a[at][0][0] * v[i][0] + a[at][1][0] * v[i][1] + a[at][2][0] * v[i][2];
            w[col][1] += a[at][0][1] * v[i][0] + a[at][1][1] * v[i][1] + a[at][2][1] * v[i][2];
            w[col][2] += a[at][0][2] * v[i][0] + a[at][1][2] * v[i][1] + a[at][2][2] * v[i][2];
        }
        w[i][0] += sum0;
        w[i][1] += sum1;
        w[i][2] += sum2;
    }
}

/* Steps with packed weights: the sums of a block become states, or gradients of sums, while they are cached. One
 * parallel loop advances all sublayers of a layer by a step. Included once for each type. */

typedef struct NAME(layer) {
    blocking b;
    NAME(sublayer) sublayers[2];
    T* panels[2];
    T* input_panels[2];
    int64_t count, parts;
    int64_t i; /* current step */
    void (*run_block)(const struct NAME(layer) * layer, int64_t sublayer, int64_t block);
} NAME(layer);

/* The number of threads that a step is worth, given the products of states or gradients, and perhaps inputs. */
static int64_t NAME(parts_of)(opforge_call* call, const rnn_shape* s, int64_t inputs, int64_t blocks) {
    double depth = (double)s->set.out + (packs_inputs(s, inputs) ? (double)inputs : 0);
    double work = (double)s->set.directions * (double)s->batch * depth * (double)(s->set.gates * s->set.size);
    int64_t parts = call->host->threads(call);
    if (work < (double)parts * PART_WORK) parts = (int64_t)(work / PART_WORK) + 1;
    return parts < blocks ? parts : blocks;
}

static NAME(layer) NAME(layer_of)(opforge_call* call, const rnn_shape* s, const rnn_arrays* a, const workspace_layout* layout, blocking b,
                                  int64_t layer) {
    NAME(layer) l = {.b = b, .count = s->set.directions};
    for (int64_t at = 0; at < l.count; at++) {
        l.sublayers[at] = NAME(sublayer_of)(call, s, a, layout, layer, at);
        l.panels[at] = (T*)a->workspace + layout->panels[at];
        l.input_panels[at] = (T*)a->workspace + layout->input_panels[at];
    }
    l.parts = NAME(parts_of)(call, s, l.sublayers[0].input, l.count * b.blocks);
    return l;
}

/* -- panels -------------------------------------------------------------------------------------------------------- */

/* The first row of the recurrent weights in vector v of a forward block, and the number of rows. */
OF_INLINE int64_t NAME(first_row)(const NAME(sublayer) * d, const blocking* b, int64_t block, int64_t v, int64_t* lanes) {
    int64_t size = d->s->set.size, gates = d->s->set.gates, unit = block * b->units + (gates == 1 ? v * LANES : 0);
    *lanes = size - unit < LANES ? size - unit : LANES;
    return gates == 1 ? unit : v * size + unit;
}

/* Pack the rows of a weight that a block uses. */
static void NAME(pack_block)(const NAME(layer) * l, int64_t sublayer, int64_t block, const T* weight, int64_t depth, T* panel) {
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t lanes, row = NAME(first_row)(&l->sublayers[sublayer], &l->b, block, v, &lanes);
        NAME(pack_rows)(weight + row * depth, depth, depth, lanes, panel + v * LANES, l->b.vectors * LANES);
    }
}

static void NAME(pack_forward)(const NAME(layer) * l, int64_t sublayer, int64_t block) {
    const NAME(sublayer)* d = &l->sublayers[sublayer];
    NAME(pack_block)(l, sublayer, block, d->h2h, l->b.depth, l->panels[sublayer] + block * l->b.panel);
    if (!packs_inputs(d->s, d->input)) return;
    NAME(pack_block)(l, sublayer, block, d->i2h, d->input, l->input_panels[sublayer] + block * d->input * l->b.vectors * LANES);
}

static void NAME(pack_backward)(const NAME(layer) * l, int64_t sublayer, int64_t block) {
    const NAME(sublayer)* d = &l->sublayers[sublayer];
    int64_t out = d->s->set.out;
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t column = block * l->b.units + v * LANES;
        NAME(pack_columns)(d->h2h + column, out, l->b.depth, out - column,
                           l->panels[sublayer] + block * l->b.panel + v * LANES, l->b.vectors * LANES);
    }
}

/* -- blocks -------------------------------------------------------------------------------------------------------- */

static int64_t NAME(tiles_of)(const NAME(layer) * l, int64_t rows) {
    return of_tile_count(rows, l->b.vectors);
}

/* Add the product of some rows of `a` with a panel. */
OF_INLINE void NAME(add_tile)(const NAME(layer) * l, const T* panel, int64_t depth, int64_t first, int64_t rows, const T* a,
                              int64_t a_row, NAME(sums) to) {
    for (int64_t v = 0; v < l->b.vectors; v++) to.at[v] += first * to.row[v];
    NAME(run_tile)(rows, l->b.vectors, depth, a + first * a_row, a_row, panel, &to);
}

/* Initialize the sums of a block with the input product and the biases, for the steps from the i-th on. */
static void NAME(init_block)(const NAME(layer) * l, int64_t sublayer, int64_t block) {
    const NAME(sublayer)* d = &l->sublayers[sublayer];
    int64_t left = d->s->steps - l->i, steps = left < batched_steps(d->s) ? left : batched_steps(d->s);
    int64_t first_step = NAME(step)(d, l->i + (d->direction ? steps - 1 : 0));
    int64_t above = first_step * d->s->batch, slot = NAME(slot)(d, first_step) * d->s->batch;
    int64_t rows = steps * d->s->batch, tiles = NAME(tiles_of)(l, rows);
    const T* panel = l->input_panels[sublayer] + block * d->input * l->b.vectors * LANES;
    NAME(sums) to = {0};
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t at = NAME(first_row)(d, &l->b, block, v, &to.lanes[v]);
        to.at[v] = d->gates + slot * d->width + at;
        to.row[v] = d->width;
        to.bias[v] = d->bias + at;
    }
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = of_tile_begin(rows, tiles, tile), last = of_tile_begin(rows, tiles, tile + 1);
        NAME(add_tile)(l, panel, d->input, first, last - first, d->x + above * d->input, d->input, to);
    }
}

static void NAME(forward_block)(const NAME(layer) * l, int64_t sublayer, int64_t block) {
    const NAME(sublayer)* d = &l->sublayers[sublayer];
    int64_t batch = d->s->batch, size = d->s->set.size, t = NAME(step)(d, l->i), row, tiles = NAME(tiles_of)(l, batch);
    int64_t begin = block * l->b.units, end = begin + l->b.units < size ? begin + l->b.units : size;
    int64_t slot = NAME(slot)(d, t) * batch;
    const T *before = NAME(previous_states)(d, l->i, &row), *panel = l->panels[sublayer] + block * l->b.panel;
    if (packs_inputs(d->s, d->input) && l->i % batched_steps(d->s) == 0) NAME(init_block)(l, sublayer, block);
    NAME(sums) to = {0};
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t at = NAME(first_row)(d, &l->b, block, v, &to.lanes[v]);
        to.at[v] = d->gates + slot * d->width + at;
        to.row[v] = d->width;
        if (d->s->set.mode != RNN_GRU || v < 2) continue;
        to.at[v] = d->hidden + slot * size + begin;
        to.row[v] = size;
        to.bias[v] = d->h2h_bias + at;
    }
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = of_tile_begin(batch, tiles, tile), last = of_tile_begin(batch, tiles, tile + 1);
        NAME(prefetch_states)(d, t, first, last, begin);
        NAME(add_tile)(l, panel, l->b.depth, first, last - first, before, row, to);
        NAME(run_cells)(d, t, first, last, begin, end);
    }
}

/* Compute the gradients of the states from the following step, and then those of this step's sums. */
static void NAME(backward_block)(const NAME(layer) * l, int64_t sublayer, int64_t block) {
    const NAME(sublayer)* d = &l->sublayers[sublayer];
    int64_t batch = d->s->batch, out = d->s->set.out, tiles = NAME(tiles_of)(l, batch);
    int64_t begin = block * l->b.units, end = begin + l->b.units < out ? begin + l->b.units : out;
    const T* panel = l->panels[sublayer] + block * l->b.panel;
    NAME(sums) to = {0};
    for (int64_t v = 0; v < l->b.vectors; v++) {
        to.at[v] = d->d_state + begin + v * LANES;
        to.row[v] = out;
        to.lanes[v] = out - begin - v * LANES;
    }
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = of_tile_begin(batch, tiles, tile), last = of_tile_begin(batch, tiles, tile + 1);
        if (l->i >= 0) NAME(prefetch_step)(d, NAME(step)(d, l->i), first, last, begin, end);
        if (l->i + 1 < d->s->steps) {
            const T* behind = d->d_recurrent + NAME(step)(d, l->i + 1) * batch * d->width;
            NAME(add_tile)(l, panel, l->b.depth, first, last - first, behind, d->width, to);
        }
        if (l->i >= 0) NAME(run_cells_backward)(d, NAME(step)(d, l->i), first, last, begin, end);
    }
}

/* -- threads ------------------------------------------------------------------------------------------------------- */

/* A part has the same blocks in each step, so that their weights may still be in its core's cache. */
static int32_t NAME(run_parts)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const NAME(layer)* l = (const NAME(layer)*)argument;
    int64_t blocks = l->count * l->b.blocks;
    (void)worker;
    for (int64_t at = blocks * begin / l->parts; at < blocks * end / l->parts; at++) {
        l->run_block(l, at / l->b.blocks, at % l->b.blocks);
    }
    return OPFORGE_OK;
}

static int32_t NAME(run_blocks)(NAME(layer) * l, int64_t i, void (*run_block)(const NAME(layer) *, int64_t, int64_t)) {
    opforge_call* call = l->sublayers[0].call;
    l->i = i;
    l->run_block = run_block;
    return call->host->parallel(call, l->parts, 1, 0, NAME(run_parts), l);
}

static int32_t NAME(run_packed)(NAME(layer) * l) {
    int64_t steps = l->sublayers[0].s->steps;
    int32_t status = NAME(run_blocks)(l, 0, NAME(pack_forward));
    for (int64_t i = 0; i < steps && !status; i++) status = NAME(run_blocks)(l, i, NAME(forward_block));
    return status;
}

static int32_t NAME(run_packed_backward)(NAME(layer) * l) {
    int64_t steps = l->sublayers[0].s->steps;
    int32_t status = NAME(run_blocks)(l, 0, NAME(pack_backward));
    for (int64_t i = steps - 1; i >= -1 && !status; i--) status = NAME(run_blocks)(l, i, NAME(backward_block));
    return status;
}

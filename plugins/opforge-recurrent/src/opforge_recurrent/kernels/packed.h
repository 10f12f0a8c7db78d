/* Steps with packed weights: a block's sums become states, or gradients of sums, while they are in a cache. One loop of
 * threads takes all strands of a layer a step further. Included once for each type. */

typedef struct NAME(layer) {
    blocking b;
    NAME(strand) strands[2];
    T* panels[2];
    T* input_panels[2];
    int64_t count, parts;
    int64_t i; /* the strands' step */
    void (*run_block)(const struct NAME(layer) * layer, int64_t strand, int64_t block);
} NAME(layer);

/* How many threads a step is worth, in which states or gradients are multiplied, and perhaps data. */
static int64_t NAME(parts_of)(opforge_call* call, const rnn_shape* s, int64_t inputs, int64_t blocks) {
    double depth = (double)s->set.out + (packs_inputs(s, inputs) ? (double)inputs : 0);
    double work = (double)s->set.directions * (double)s->batch * depth * (double)(s->set.gates * s->set.size);
    int64_t parts = call->host->threads(call);
    if (work < (double)parts * PART_WORK) parts = (int64_t)(work / PART_WORK) + 1;
    return parts < blocks ? parts : blocks;
}

static NAME(layer) NAME(layer_of)(opforge_call* call, const rnn_shape* s, const rnn_arrays* a, const rooms* room, blocking b,
                                  int64_t layer) {
    NAME(layer) l = {.b = b, .count = s->set.directions};
    for (int64_t at = 0; at < l.count; at++) {
        l.strands[at] = NAME(strand_of)(call, s, a, room, layer, at);
        l.panels[at] = (T*)a->workspace + room->panels[at];
        l.input_panels[at] = (T*)a->workspace + room->input_panels[at];
    }
    l.parts = NAME(parts_of)(call, s, l.strands[0].input, l.count * b.blocks);
    return l;
}

/* -- panels -------------------------------------------------------------------------------------------------------- */

/* Vector v of a forward block begins with this row of the recurrent weights, and has so many of them. */
FORCE_INLINE int64_t NAME(first_row)(const NAME(strand) * d, const blocking* b, int64_t block, int64_t v, int64_t* lanes) {
    int64_t size = d->s->set.size, gates = d->s->set.gates, unit = block * b->units + (gates == 1 ? v * LANES : 0);
    *lanes = size - unit < LANES ? size - unit : LANES;
    return gates == 1 ? unit : v * size + unit;
}

/* The rows of a weight that belong to a block. */
static void NAME(pack_block)(const NAME(layer) * l, int64_t strand, int64_t block, const T* weight, int64_t depth, T* panel) {
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t lanes, row = NAME(first_row)(&l->strands[strand], &l->b, block, v, &lanes);
        NAME(pack_rows)(weight + row * depth, depth, depth, lanes, panel + v * LANES, l->b.vectors * LANES);
    }
}

static void NAME(pack_forward)(const NAME(layer) * l, int64_t strand, int64_t block) {
    const NAME(strand)* d = &l->strands[strand];
    NAME(pack_block)(l, strand, block, d->h2h, l->b.depth, l->panels[strand] + block * l->b.panel);
    if (!packs_inputs(d->s, d->input)) return;
    NAME(pack_block)(l, strand, block, d->i2h, d->input, l->input_panels[strand] + block * d->input * l->b.vectors * LANES);
}

static void NAME(pack_backward)(const NAME(layer) * l, int64_t strand, int64_t block) {
    const NAME(strand)* d = &l->strands[strand];
    int64_t out = d->s->set.out;
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t column = block * l->b.units + v * LANES;
        NAME(pack_columns)(d->h2h + column, out, l->b.depth, out - column,
                           l->panels[strand] + block * l->b.panel + v * LANES, l->b.vectors * LANES);
    }
}

/* -- blocks -------------------------------------------------------------------------------------------------------- */

static int64_t NAME(tiles_of)(const NAME(layer) * l, int64_t rows) {
    int64_t most = SUMS / l->b.vectors;
    return (rows + most - 1) / most;
}

/* Add the product of some rows of `a` with a panel. */
FORCE_INLINE void NAME(add_tile)(const NAME(layer) * l, const T* panel, int64_t depth, int64_t first, int64_t rows, const T* a,
                                 int64_t a_row, NAME(sums) to) {
    for (int64_t v = 0; v < l->b.vectors; v++) to.at[v] += first * to.row[v];
    NAME(tiles)[l->b.vectors][rows](depth, a + first * a_row, a_row, panel, &to);
}

/* The sums of a block begin with what the data give, and the biases: those of the strand's steps from the i-th on. */
static void NAME(begin_block)(const NAME(layer) * l, int64_t strand, int64_t block) {
    const NAME(strand)* d = &l->strands[strand];
    int64_t left = d->s->steps - l->i, steps = left < steps_at_once(d->s) ? left : steps_at_once(d->s);
    int64_t first_step = NAME(step)(d, l->i + (d->direction ? steps - 1 : 0));
    int64_t above = first_step * d->s->batch, place = NAME(place)(d, first_step) * d->s->batch;
    int64_t rows = steps * d->s->batch, tiles = NAME(tiles_of)(l, rows);
    const T* panel = l->input_panels[strand] + block * d->input * l->b.vectors * LANES;
    NAME(sums) to = {0};
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t at = NAME(first_row)(d, &l->b, block, v, &to.lanes[v]);
        to.at[v] = d->gates + place * d->width + at;
        to.row[v] = d->width;
        to.bias[v] = d->bias + at;
    }
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = rows * tile / tiles, last = rows * (tile + 1) / tiles;
        NAME(add_tile)(l, panel, d->input, first, last - first, d->x + above * d->input, d->input, to);
    }
}

static void NAME(forward_block)(const NAME(layer) * l, int64_t strand, int64_t block) {
    const NAME(strand)* d = &l->strands[strand];
    int64_t batch = d->s->batch, size = d->s->set.size, t = NAME(step)(d, l->i), row, tiles = NAME(tiles_of)(l, batch);
    int64_t begin = block * l->b.units, end = begin + l->b.units < size ? begin + l->b.units : size;
    int64_t place = NAME(place)(d, t) * batch;
    const T *before = NAME(states_before)(d, l->i, &row), *panel = l->panels[strand] + block * l->b.panel;
    if (packs_inputs(d->s, d->input) && l->i % steps_at_once(d->s) == 0) NAME(begin_block)(l, strand, block);
    NAME(sums) to = {0};
    for (int64_t v = 0; v < l->b.vectors; v++) {
        int64_t at = NAME(first_row)(d, &l->b, block, v, &to.lanes[v]);
        to.at[v] = d->gates + place * d->width + at;
        to.row[v] = d->width;
        if (d->s->set.mode != RNN_GRU || v < 2) continue;
        to.at[v] = d->hidden + place * size + begin;
        to.row[v] = size;
        to.bias[v] = d->h2h_bias + at;
    }
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = batch * tile / tiles, last = batch * (tile + 1) / tiles;
        NAME(fetch_states)(d, t, first, last, begin);
        NAME(add_tile)(l, panel, l->b.depth, first, last - first, before, row, to);
        NAME(run_cells)(d, t, first, last, begin, end);
    }
}

/* What the step behind gives the states of this one, and then the gradients of this step's sums. */
static void NAME(backward_block)(const NAME(layer) * l, int64_t strand, int64_t block) {
    const NAME(strand)* d = &l->strands[strand];
    int64_t batch = d->s->batch, out = d->s->set.out, tiles = NAME(tiles_of)(l, batch);
    int64_t begin = block * l->b.units, end = begin + l->b.units < out ? begin + l->b.units : out;
    const T* panel = l->panels[strand] + block * l->b.panel;
    NAME(sums) to = {0};
    for (int64_t v = 0; v < l->b.vectors; v++) {
        to.at[v] = d->d_state + begin + v * LANES;
        to.row[v] = out;
        to.lanes[v] = out - begin - v * LANES;
    }
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = batch * tile / tiles, last = batch * (tile + 1) / tiles;
        if (l->i >= 0) NAME(fetch_step)(d, NAME(step)(d, l->i), first, last, begin, end);
        if (l->i + 1 < d->s->steps) {
            const T* behind = d->d_recurrent + NAME(step)(d, l->i + 1) * batch * d->width;
            NAME(add_tile)(l, panel, l->b.depth, first, last - first, behind, d->width, to);
        }
        if (l->i >= 0) NAME(run_cells_backward)(d, NAME(step)(d, l->i), first, last, begin, end);
    }
}

/* -- threads ------------------------------------------------------------------------------------------------------- */

/* The same part has the same blocks in each step, whose weights its processor may still have in its cache. */
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
    opforge_call* call = l->strands[0].call;
    l->i = i;
    l->run_block = run_block;
    return call->host->parallel(call, l->parts, 1, 0, NAME(run_parts), l);
}

static int32_t NAME(run_packed)(NAME(layer) * l) {
    int64_t steps = l->strands[0].s->steps;
    int32_t status = NAME(run_blocks)(l, 0, NAME(pack_forward));
    for (int64_t i = 0; i < steps && !status; i++) status = NAME(run_blocks)(l, i, NAME(forward_block));
    return status;
}

static int32_t NAME(run_packed_backward)(NAME(layer) * l) {
    int64_t steps = l->strands[0].s->steps;
    int32_t status = NAME(run_blocks)(l, 0, NAME(pack_backward));
    for (int64_t i = steps - 1; i >= -1 && !status; i--) status = NAME(run_blocks)(l, i, NAME(backward_block));
    return status;
}

/* Loops over the images of a batch. */
#ifndef DETECTION_IMAGES_H
#define DETECTION_IMAGES_H

#include <opforge/abi.h>

#include "arena.h"

/* Processes one image in its own memory. `call` is NULL inside a parallel loop. */
typedef int32_t (*image_function)(const void* work, int64_t image, arena own, opforge_call* call);

typedef struct image_loop {
    image_function run;
    const void* work;
} image_loop;

static int32_t image_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const image_loop* loop = (const image_loop*)argument;
    int32_t status = OPFORGE_OK;
    for (int64_t image = begin; image < end && !status; image++)
        status = loop->run(loop->work, image, (arena){(char*)worker->scratch, 0}, NULL);
    return status;
}

/* Process the images in parallel, or one after the other if there are fewer images than threads. */
static int32_t run_images(opforge_call* call, int64_t images, int64_t bytes, image_function run, const void* work) {
    image_loop loop = {run, work};
    if (images >= call->host->threads(call)) return call->host->parallel(call, images, 1, bytes, image_part, &loop);
    arena own = {(char*)call->host->scratch(call, bytes), 0};
    int32_t status = own.memory == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
    for (int64_t image = 0; image < images && !status; image++) status = run(work, image, own, call);
    return status;
}

#endif

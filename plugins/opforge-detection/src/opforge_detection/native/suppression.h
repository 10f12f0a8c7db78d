/* When a box suppresses another one. MXNet's operators differ in it, and in what comes of NaN. */
#ifndef DETECTION_SUPPRESSION_H
#define DETECTION_SUPPRESSION_H

/* TILE: boxes that decide among themselves. AT_ONCE: boxes that stay in the first cache while a tile marks
 * them. PAIRS: what a part of that loop compares at least. */
enum { TILE = 128, AT_ONCE = 512, PAIRS = 16384 };

typedef enum suppression_rule {
    CORNERS, /* box_nms: share above the threshold */
    CENTERS, /* the same of boxes that were centers */
    REACHING, /* MultiBoxDetection: at least the threshold */
    PIXELS,  /* Proposal: edges are pixels that belong to the box */
} suppression_rule;

#endif

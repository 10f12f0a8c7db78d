/* Rules of suppression. MXNet's operators differ in them and in their treatment of NaN. */
#ifndef DETECTION_SUPPRESSION_H
#define DETECTION_SUPPRESSION_H

/* TILE: boxes of a tile. AT_ONCE: boxes that stay in the L1 cache while a tile suppresses them. PAIRS: minimum number
 * of comparisons in a part of that loop. */
enum { TILE = 128, AT_ONCE = 512, PAIRS = 16384 };

typedef enum suppression_rule {
    CORNERS, /* box_nms: overlap above the threshold */
    CENTERS, /* the same for boxes given by their centers */
    REACHING, /* MultiBoxDetection: overlap of at least the threshold */
    PIXELS,  /* Proposal: edges are inclusive pixels */
} suppression_rule;

#endif

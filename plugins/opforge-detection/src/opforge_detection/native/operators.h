/* Operators of the module; each file defines one or two similar ones. */
#ifndef DETECTION_OPERATORS_H
#define DETECTION_OPERATORS_H

#include <opforge/abi.h>

extern const opforge_operator detection_box_iou, detection_box_nms, detection_multibox_prior,
    detection_multibox_target, detection_multibox_detection, detection_bipartite_matching,
    detection_box_encode, detection_box_decode, detection_proposal, detection_multi_proposal;
extern const opforge_operator detection_roi_pooling, detection_correlation;
extern const opforge_operator detection_roi_align, detection_rotated_roi_align;
extern const opforge_operator detection_part_pooling, detection_deformed_pooling;

#endif

/* The extension module: nothing but the library. */
#include <opforge/module.h>

#include "operators.h"

OPFORGE_MODULE(_native, &detection_box_iou, &detection_box_nms, &detection_multibox_prior,
               &detection_multibox_target, &detection_multibox_detection, &detection_roi_pooling,
               &detection_correlation, &detection_roi_align, &detection_rotated_roi_align, &detection_part_pooling,
               &detection_deformed_pooling, &detection_bipartite_matching, &detection_box_encode,
               &detection_box_decode, &detection_proposal, &detection_multi_proposal);

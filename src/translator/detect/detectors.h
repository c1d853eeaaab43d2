/* All detectors, by name. */
#ifndef STRATA_TRANSLATOR_DETECT_DETECTORS_H
#define STRATA_TRANSLATOR_DETECT_DETECTORS_H

#include "translator/fragment/detector.h"

/* NULL if there is none of that name; *known then names all, with commas. */
const struct detector *detector_find(const char *name, const char **known);

#define DETECTOR(id, name, unit, meaning) extern const struct detector id##_detector;
#include "translator/detect/detectors.def"
#undef DETECTOR

#endif

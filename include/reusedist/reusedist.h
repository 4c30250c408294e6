/* reusedist measures, approximates and predicts reuse distances. This header includes all stable
 * public headers except marker.h, which is for programs that are recorded. */
#ifndef REUSEDIST_H
#define REUSEDIST_H

#include "analysis.h"
#include "attribution.h"
#include "base.h"
#include "cluster.h"
#include "corun.h"
#include "engine.h"
#include "hierarchy.h"
#include "machine.h"
#include "model.h"
#include "objects.h"
#include "predict.h"
#include "prefix.h"
#include "profile.h"
#include "report.h"
#include "sharing.h"
#include "trace.h"
#include "verify.h"

#endif

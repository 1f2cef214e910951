#ifndef NATTER_CLINUX_H
#define NATTER_CLINUX_H
#include "crash.h"
#include "descriptors.h"
#include "heap.h"
#include "inflate.h"
#include "library.h"
#endif

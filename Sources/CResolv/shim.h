#ifndef NATTER_CRESOLV_SHIM_H
#define NATTER_CRESOLV_SHIM_H
#include <netinet/in.h>
#include <arpa/nameser.h>
#include <resolv.h>
#endif

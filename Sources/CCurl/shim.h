#ifndef NATTER_CCURL_SHIM_H
#define NATTER_CCURL_SHIM_H
#include <curl/curl.h>
/* Variadic functions are not imported into Swift: one wrapper for each type of argument. */
static inline CURLcode natter_setopt_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode natter_setopt_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
#endif

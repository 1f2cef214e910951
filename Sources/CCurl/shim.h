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
static inline CURLcode natter_setopt_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
/* The bytes are copied. */
static inline CURLcode natter_setopt_blob(
    CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}
static inline CURLcode natter_getinfo_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode natter_getinfo_string(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode natter_getinfo_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
/* The member of a union without a name, which Swift can hardly spell. */
static inline CURLcode natter_message_result(const CURLMsg *message) {
  return message->data.result;
}
#endif

#ifndef NATTER_CCURL_H
#define NATTER_CCURL_H
#include <curl/curl.h>

/* libcurl and the thirty libraries that it depends on are loaded at the first call of one of its
   functions, not at start: loading them takes longer than everything else before the first frame.
   curl.c defines the functions of <curl/curl.h> that the program uses and forwards them to the
   library. Any thread may trigger the loading. */

/* Loads libcurl. Returns its handle for dlsym(3), which also finds the functions of its
   dependencies, or NULL. */
void *natter_curl_library(void);

/* Returns the loader's error message if libcurl could not be loaded, otherwise NULL. */
const char *natter_curl_problem(void);

/* Swift cannot import variadic functions, so there is a wrapper for each type of argument. */
CURLcode natter_setopt_string(CURL *handle, CURLoption option, const char *value);
CURLcode natter_setopt_long(CURL *handle, CURLoption option, long value);
CURLcode natter_setopt_pointer(CURL *handle, CURLoption option, void *value);
/* The bytes are copied. */
CURLcode natter_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode natter_getinfo_long(CURL *handle, CURLINFO info, long *value);
CURLcode natter_getinfo_string(CURL *handle, CURLINFO info, const char **value);
CURLcode natter_getinfo_socket(CURL *handle, CURLINFO info, curl_socket_t *value);

/* The channel bindings of a TLS connection. Each function writes at most `capacity` bytes and
   returns their number, or 0 if the connection has no such binding: with another TLS library than
   OpenSSL, or an OpenSSL without a required function. The connection must have been used since its
   handshake. */

/* tls-exporter (RFC 9266): TLS 1.3, or TLS 1.2 with the extended master secret. */
size_t natter_tls_exporter(CURL *handle, unsigned char *bytes, size_t capacity);
/* tls-unique (RFC 5929 section 3): the first Finished message. Defined up to TLS 1.2. */
size_t natter_tls_unique(CURL *handle, unsigned char *bytes, size_t capacity);
/* tls-server-end-point (RFC 5929 section 4): the hash of the server's certificate. */
size_t natter_tls_server_end_point(CURL *handle, unsigned char *bytes, size_t capacity);
/* Whether the connection is TLS 1.3 or later. */
int natter_tls_is_1_3(CURL *handle);

/* Returns OpenSSL's name of the connection's TLS version, for example "TLSv1.3"; NULL with another
   TLS library. The connection must have been used since its handshake. */
const char *natter_tls_version(CURL *handle);
/* Returns the name of the cipher suite, for example "TLS_AES_256_GCM_SHA384"; NULL as above. */
const char *natter_tls_cipher(CURL *handle);

CURLcode natter_setopt_offset(CURL *handle, CURLoption option, curl_off_t value);

/* The types of the callbacks, as libcurl's options require them. */
typedef size_t (*natter_bytes_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*natter_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*natter_socket_function)(
    CURL *handle, curl_socket_t socket, int what, void *context, void *assigned);
typedef int (*natter_timer_function)(CURLM *multi, long milliseconds, void *context);
/* Sets a callback and its context. */
CURLcode natter_setopt_bytes(
    CURL *handle, CURLoption function, natter_bytes_function handler, CURLoption data,
    void *context);
CURLcode natter_setopt_seek(CURL *handle, natter_seek_function handler, void *context);
/* Marks the handle's sockets close-on-exec, so that programs started by this one do not inherit
   them. */
CURLcode natter_setopt_private_sockets(CURL *handle);
/* The callback that opens the handle's sockets, or refuses to. */
typedef curl_socket_t (*natter_open_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
CURLcode natter_setopt_open(CURL *handle, natter_open_function handler, void *context);
CURLMcode natter_multi_setopt_long(CURLM *multi, CURLMoption option, long value);
CURLMcode natter_multi_setopt_socket(CURLM *multi, natter_socket_function handler, void *context);
CURLMcode natter_multi_setopt_timer(CURLM *multi, natter_timer_function handler, void *context);

/* Returns the result of a message. It is a member of a union whose type has no name, which is
   awkward to use from Swift. */
static inline CURLcode natter_message_result(const CURLMsg *message) {
  return message->data.result;
}
#endif

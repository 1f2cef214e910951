#ifndef NATTER_CCURL_H
#define NATTER_CCURL_H
#include <curl/curl.h>

/* libcurl and the thirty libraries it stands on are loaded when a function of it is first needed, not with the program:
   loading them takes longer than everything else until the first frame. The functions of <curl/curl.h> that the program uses
   are defined in curl.c, and go on to the library's. Loading may be asked for from any thread. */

/* Loads libcurl. Returns its handle for dlsym(3), which finds the functions of the libraries below it too, or NULL. */
void *natter_curl_library(void);

/* Why it could not be loaded, in the loader's words; NULL when it was. */
const char *natter_curl_problem(void);

/* Variadic functions are not imported into Swift: one wrapper for each type of argument. */
CURLcode natter_setopt_string(CURL *handle, CURLoption option, const char *value);
CURLcode natter_setopt_long(CURL *handle, CURLoption option, long value);
CURLcode natter_setopt_pointer(CURL *handle, CURLoption option, void *value);
/* The bytes are copied. */
CURLcode natter_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode natter_getinfo_long(CURL *handle, CURLINFO info, long *value);
CURLcode natter_getinfo_string(CURL *handle, CURLINFO info, const char **value);
CURLcode natter_getinfo_socket(CURL *handle, CURLINFO info, curl_socket_t *value);

/* The channel bindings of a TLS connection. Each writes at most `capacity` bytes and returns how many, or 0 where the connection
   has none of the kind: another TLS library than OpenSSL, or a function that this OpenSSL lacks. The connection must have been
   used since its handshake. */

/* tls-exporter (RFC 9266): TLS 1.3, or TLS 1.2 with the extended master secret. */
size_t natter_tls_exporter(CURL *handle, unsigned char *bytes, size_t capacity);
/* tls-unique (RFC 5929 section 3): the first Finished message. RFC 5929 defines it up to TLS 1.2. */
size_t natter_tls_unique(CURL *handle, unsigned char *bytes, size_t capacity);
/* tls-server-end-point (RFC 5929 section 4): the hash of the server's certificate. */
size_t natter_tls_server_end_point(CURL *handle, unsigned char *bytes, size_t capacity);
/* Whether the connection is TLS 1.3 or later. */
int natter_tls_is_1_3(CURL *handle);

/* The version of TLS of this connection in the words of OpenSSL, as "TLSv1.3"; NULL with another TLS library. The connection
   must have been used since its handshake. */
const char *natter_tls_version(CURL *handle);
/* The same of the cipher suite, as "TLS_AES_256_GCM_SHA384". */
const char *natter_tls_cipher(CURL *handle);

CURLcode natter_setopt_offset(CURL *handle, CURLoption option, curl_off_t value);

/* What is called with bytes, or for them: the options' own types. */
typedef size_t (*natter_bytes_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*natter_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*natter_socket_function)(
    CURL *handle, curl_socket_t socket, int what, void *context, void *assigned);
typedef int (*natter_timer_function)(CURLM *multi, long milliseconds, void *context);
/* Sets a function and its context. */
CURLcode natter_setopt_bytes(
    CURL *handle, CURLoption function, natter_bytes_function handler, CURLoption data,
    void *context);
CURLcode natter_setopt_seek(CURL *handle, natter_seek_function handler, void *context);
/* The handle's sockets are not inherited by the programs that this one starts. */
CURLcode natter_setopt_private_sockets(CURL *handle);
/* What makes the handle's sockets, or refuses to. */
typedef curl_socket_t (*natter_open_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
CURLcode natter_setopt_open(CURL *handle, natter_open_function handler, void *context);
CURLMcode natter_multi_setopt_long(CURLM *multi, CURLMoption option, long value);
CURLMcode natter_multi_setopt_socket(CURLM *multi, natter_socket_function handler, void *context);
CURLMcode natter_multi_setopt_timer(CURLM *multi, natter_timer_function handler, void *context);

/* The member of a union without a name, which Swift can hardly spell. */
static inline CURLcode natter_message_result(const CURLMsg *message) {
  return message->data.result;
}
#endif

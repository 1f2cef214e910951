import CCurl
import Glibc

/// Hashes, HMAC and PBKDF2, computed by the libcrypto (OpenSSL) that libcurl loads.
///
/// The functions are bound at run time: the build needs no header of OpenSSL, and the program has a
/// single libcrypto, that of TLS. Binding happens on first use and takes some milliseconds, so that
/// the program's first frame does not wait for it.
package struct CryptoLibrary: Sendable {
  package init() {}

  /// Binds the functions now, for callers that want to find out about a missing library before they
  /// begin.
  /// - Throws: `CryptoError.libraryMissing`, or `.symbolMissing` for a libcrypto that lacks a
  ///   function. All other functions throw these as well.
  package func load() throws(CryptoError) { _ = try binding.get() }

  /// Returns whether the loaded library supports `function`, by trying it: builds of OpenSSL leave
  /// out optional algorithms, and a library in FIPS mode may refuse those that it has
  /// (fips_module(7)).
  package func has(_ function: HashFunction) -> Bool { (try? hash([], by: function)) != nil }

  /// Returns the digest of `bytes`.
  package func hash(_ bytes: [UInt8], by function: HashFunction) throws(CryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: function.byteCount)
    let library = try binding.get()
    guard
      library.digestOnce(bytes, bytes.count, &digest, nil, library.algorithm(function), nil) == 1
    else {
      throw .failed(function: "EVP_Digest")
    }
    return digest
  }

  /// Returns the digest of `byteCount` bytes of an open file, read in chunks; blocks on the disk.
  /// - Parameter start: The offset of the first byte.
  /// - Parameter mayGoOn: Called between chunks; false cancels.
  /// - Returns: `nil` when the file is shorter, cannot be read, or `mayGoOn` returned false.
  package func hash(
    descriptor: CInt, from start: Int = 0, byteCount: Int, by function: HashFunction,
    mayGoOn: () -> Bool = { true }
  ) throws(CryptoError) -> [UInt8]? {
    let library = try binding.get()
    guard let context = library.newContext() else { throw .failed(function: "EVP_MD_CTX_new") }
    defer { library.freeContext(context) }
    guard library.begin(context, library.algorithm(function), nil) == 1 else {
      throw .failed(function: "EVP_DigestInit_ex")
    }
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    var offset = 0
    while offset < byteCount {
      guard mayGoOn() else { return nil }
      let count = pread(
        descriptor, &piece, min(piece.count, byteCount - offset), off_t(start + offset))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      guard library.add(context, piece, count) == 1 else {
        throw .failed(function: "EVP_DigestUpdate")
      }
      offset += count
    }
    var digest = [UInt8](repeating: 0, count: function.byteCount)
    guard library.end(context, &digest, nil) == 1 else {
      throw .failed(function: "EVP_DigestFinal_ex")
    }
    return digest
  }

  /// Returns the message authentication code of `bytes` under `key` (RFC 2104).
  package func hmac(
    _ bytes: [UInt8], key: [UInt8], by function: HashFunction
  ) throws(CryptoError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: function.byteCount)
    guard let keyCount = CInt(exactly: key.count) else { throw .failed(function: "HMAC") }
    // For HMAC, a null key means the previous key. An empty array may have no address, so a single
    // byte replaces it.
    let keyBytes = key.isEmpty ? [0] : key
    let library = try binding.get()
    guard
      library.hmacOnce(
        library.algorithm(function), keyBytes, keyCount, bytes, bytes.count, &code, nil) != nil
    else { throw .failed(function: "HMAC") }
    return code
  }

  /// Returns a key derived from `password` (RFC 8018 §5.2, PBKDF2 with HMAC).
  ///
  /// Takes time in proportion to `iterations`: roughly a third of a microsecond each.
  /// - Parameter iterations: ≥ 1
  /// - Parameter byteCount: The length of the key, ≥ 1; `nil` means the length of a digest of
  ///   `function`.
  package func pbkdf2(
    password: [UInt8], salt: [UInt8], iterations: Int, by function: HashFunction,
    byteCount: Int? = nil
  ) throws(CryptoError) -> [UInt8] {
    let count = byteCount ?? function.byteCount
    guard let rounds = CInt(exactly: iterations), rounds >= 1, count >= 1,
      let passwordCount = CInt(exactly: password.count), let saltCount = CInt(exactly: salt.count),
      let keyCount = CInt(exactly: count)
    else { throw .failed(function: "PKCS5_PBKDF2_HMAC") }
    var key = [UInt8](repeating: 0, count: count)
    // As above: a null password would count as absent.
    let passwordBytes = (password.isEmpty ? [0] : password).map { CChar(bitPattern: $0) }
    let library = try binding.get()
    guard
      library.pbkdf2(
        passwordBytes, passwordCount, salt, saltCount, rounds, library.algorithm(function),
        keyCount, &key) == 1
    else { throw .failed(function: "PKCS5_PBKDF2_HMAC") }
    return key
  }
}

/// The functions of libcrypto, or the reason why they are missing; looked up a single time.
private let binding = Result { () throws(CryptoError) in try Binding() }

/// The functions of libcrypto that this module uses.
struct Binding: Sendable {
  typealias Digest = @Sendable @convention(c) () -> OpaquePointer?
  typealias DigestOnce =
    @Sendable @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedInt>?,
      OpaquePointer?, OpaquePointer?
    ) -> CInt
  typealias HMACOnce =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, CInt, UnsafePointer<UInt8>?, Int,
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedInt>?
    ) -> UnsafeMutablePointer<UInt8>?
  typealias PBKDF2 =
    @Sendable @convention(c) (
      UnsafePointer<CChar>?, CInt, UnsafePointer<UInt8>?, CInt, CInt, OpaquePointer?, CInt,
      UnsafeMutablePointer<UInt8>?
    ) -> CInt

  typealias NewContext = @Sendable @convention(c) () -> OpaquePointer?
  typealias FreeContext = @Sendable @convention(c) (OpaquePointer?) -> Void
  typealias Begin =
    @Sendable @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt
  typealias Add = @Sendable @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> CInt
  typealias End =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedInt>?
    ) -> CInt

  let newContext: NewContext
  let freeContext: FreeContext
  let begin: Begin
  let add: Add
  let end: End
  let sha1: Digest
  let sha256: Digest
  let sha512: Digest
  /// The algorithms that not every library has; `nil` when this library lacks them.
  private let sha3With256: Digest?
  private let sha3With512: Digest?
  private let blake2b512: Digest?
  let digestOnce: DigestOnce
  let hmacOnce: HMACOnce
  let pbkdf2: PBKDF2

  init() throws(CryptoError) {
    let library = try Self.libraryHandle()
    newContext = try Self.function("EVP_MD_CTX_new", in: library)
    freeContext = try Self.function("EVP_MD_CTX_free", in: library)
    begin = try Self.function("EVP_DigestInit_ex", in: library)
    add = try Self.function("EVP_DigestUpdate", in: library)
    end = try Self.function("EVP_DigestFinal_ex", in: library)
    sha1 = try Self.function("EVP_sha1", in: library)
    sha256 = try Self.function("EVP_sha256", in: library)
    sha512 = try Self.function("EVP_sha512", in: library)
    func optional(_ name: String) -> Digest? {
      dlsym(library, name).map { unsafeBitCast($0, to: Digest.self) }
    }
    sha3With256 = optional("EVP_sha3_256")
    sha3With512 = optional("EVP_sha3_512")
    blake2b512 = optional("EVP_blake2b512")
    digestOnce = try Self.function("EVP_Digest", in: library)
    hmacOnce = try Self.function("HMAC", in: library)
    pbkdf2 = try Self.function("PKCS5_PBKDF2_HMAC", in: library)
  }

  func algorithm(_ function: HashFunction) -> OpaquePointer? {
    switch function {
    case .sha1: sha1()
    case .sha256: sha256()
    case .sha512: sha512()
    case .sha3With256: sha3With256?()
    case .sha3With512: sha3With512?()
    case .blake2b512: blake2b512?()
    }
  }

  /// Returns where to look for the functions: libcurl with the libraries that it loads, otherwise a
  /// libcrypto by name (for a libcurl with another TLS library).
  static func libraryHandle() throws(CryptoError) -> UnsafeMutableRawPointer {
    guard let curl = natter_curl_library() else {
      throw .libraryMissing(natter_curl_problem().map { String(cString: $0) } ?? "libcurl.so.4")
    }
    if dlsym(curl, "PKCS5_PBKDF2_HMAC") != nil { return curl }
    for name in ["libcrypto.so.3", "libcrypto.so.1.1"] {
      if let handle = dlopen(name, RTLD_NOW) { return handle }
    }
    throw .libraryMissing(dlerror().map { String(cString: $0) } ?? "libcrypto.so.3")
  }

  /// Returns the function `name`, which must have the type of `type`.
  static func function<Function>(
    _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type = Function.self
  ) throws(CryptoError) -> Function {
    guard let address = dlsym(library, name) else { throw .symbolMissing(name) }
    return unsafeBitCast(address, to: type)
  }
}

/// The functions that decrypt, or the reason why they are missing; looked up a single time.
let decipheringBinding = Result { () throws(CryptoError) in try CipherBinding(.decrypt) }

/// The functions that encrypt, or the reason why they are missing; looked up a single time.
let encipheringBinding = Result { () throws(CryptoError) in try CipherBinding(.encrypt) }

/// The function that returns AES-256 in CBC mode, or the reason why it is missing; apart, because
/// the decryption of files needs GCM only.
let cbcBinding = Result { () throws(CryptoError) in
  try Binding.function(
    "EVP_aes_256_cbc", in: try Binding.libraryHandle(), as: CipherBinding.Cipher.self)
}

/// The functions of libcrypto that encrypt or decrypt; both directions have the same signatures.
struct CipherBinding: Sendable {
  /// The part of the functions' names that differs.
  enum Direction: String {
    case encrypt = "Encrypt"
    case decrypt = "Decrypt"
  }

  typealias Cipher = @Sendable @convention(c) () -> OpaquePointer?
  typealias Begin =
    @Sendable @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?
    ) -> CInt
  typealias Add =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CInt>?,
      UnsafePointer<UInt8>?, CInt
    ) -> CInt
  typealias Control =
    @Sendable @convention(c) (OpaquePointer?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt
  typealias End =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CInt>?
    ) -> CInt

  /// `EVP_CTRL_AEAD_SET_IVLEN` of <openssl/evp.h>.
  static let setNonceLength: CInt = 0x9
  /// `EVP_CTRL_AEAD_GET_TAG`
  static let getTag: CInt = 0x10
  /// `EVP_CTRL_AEAD_SET_TAG`
  static let setTag: CInt = 0x11

  let aes128: Cipher
  let aes256: Cipher
  let newContext: Binding.NewContext
  let freeContext: Binding.FreeContext
  let begin: Begin
  let add: Add
  let control: Control
  let end: End
  private let direction: Direction

  init(_ direction: Direction) throws(CryptoError) {
    self.direction = direction
    let library = try Binding.libraryHandle()
    let prefix = "EVP_" + direction.rawValue
    aes128 = try Binding.function("EVP_aes_128_gcm", in: library)
    aes256 = try Binding.function("EVP_aes_256_gcm", in: library)
    newContext = try Binding.function("EVP_CIPHER_CTX_new", in: library)
    freeContext = try Binding.function("EVP_CIPHER_CTX_free", in: library)
    control = try Binding.function("EVP_CIPHER_CTX_ctrl", in: library)
    begin = try Binding.function(prefix + "Init_ex", in: library)
    add = try Binding.function(prefix + "Update", in: library)
    end = try Binding.function(prefix + "Final_ex", in: library)
  }

  /// Returns the error for a failure of the function of this direction whose name ends in `name`.
  func failure(_ name: String) -> CryptoError {
    .failed(function: "EVP_" + direction.rawValue + name)
  }
}

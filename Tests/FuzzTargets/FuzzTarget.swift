/// A part of the program that reads what others wrote, with one function that takes arbitrary
/// bytes.
///
/// The fuzzer (`.ci/fuzz`) and the tests of the kept inputs (`FuzzCorpusTests`) call the same
/// functions.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The XML stream parser, however the bytes are split.
  case xml
  /// The decoders of everything that a server can send, over parsed elements.
  case stanza
  /// Settings, key files, themes.
  case toml
  /// The bytes of a terminal, and what they do to the input line.
  case input
  /// Texts of strangers on their way to the screen.
  case text
  /// Addresses and the other short texts that have a syntax.
  case address
  /// The files that the program keeps.
  case stored
  /// The replies of web servers.
  case web
  /// All services of an account over one connection.
  case connection
  /// The messages and the stored sessions of end-to-end encryption.
  case ratchet

  /// The function that takes the bytes; it throws `FuzzFinding` where something that always holds
  /// does not.
  package var body: FuzzBody {
    switch self {
    case .xml: .immediate(XMLFuzzing.run)
    case .stanza: .immediate(StanzaFuzzing.run)
    case .toml: .immediate(TOMLFuzzing.run)
    case .input: .immediate(InputFuzzing.run)
    case .text: .immediate(TextFuzzing.run)
    case .address: .immediate(AddressFuzzing.run)
    case .stored: .waiting(StoredFuzzing.run)
    case .web: .waiting(WebFuzzing.run)
    case .connection: .waiting(ConnectionFuzzing.run)
    case .ratchet: .immediate(RatchetFuzzing.run)
    }
  }
}

/// The function of a target.
package enum FuzzBody: Sendable {
  case immediate(@Sendable ([UInt8]) throws -> Void)
  case waiting(@Sendable ([UInt8]) async throws -> Void)
}

extension FuzzTarget {
  /// Feeds `bytes` to the target.
  package func run(_ bytes: [UInt8]) async throws {
    switch body {
    case .immediate(let run): try run(bytes)
    case .waiting(let run): try await run(bytes)
    }
  }
}

/// Something that must hold for every input, and did not for this one.
package struct FuzzFinding: Error, CustomStringConvertible {
  package let description: String
}

/// Throws unless `condition` holds.
func require(_ condition: Bool, _ text: @autoclosure () -> String) throws(FuzzFinding) {
  if !condition { throw FuzzFinding(description: text()) }
}

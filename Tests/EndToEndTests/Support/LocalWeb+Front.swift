import Foundation
import TestSupport

extension LocalWeb {
  /// The same web side at another port, described there as one that has no codes to type (RFC
  /// 8628).
  ///
  /// Everything that it names is at its own port, as a program that signs in insists on, and passed
  /// on to the built-in server.
  func withoutCodes() throws -> HTTPPeer {
    try HTTPPeer { [address] request in
      if request.target.hasPrefix("/.well-known/") {
        let base = "http://\(request.headers["host"] ?? "")"
        return .json(
          """
          {"issuer":"\(base)","authorization_endpoint":"\(base)/oauth/authorize",\
          "token_endpoint":"\(base)/oauth/token","registration_endpoint":"\(base)/oauth/register",\
          "revocation_endpoint":"\(base)/oauth/revoke",\
          "grant_types_supported":["authorization_code"],"scopes_supported":["xmpp"]}
          """)
      }
      // The peer asks once before it has the body, and once with it.
      if Int(request.headers["content-length"] ?? "") ?? 0 > request.body.count { return .json("") }
      return Self.answer(of: address, to: request)
    }
  }

  private static func answer(of address: String, to request: HTTPPeer.Request) -> HTTPPeer.Reply {
    let curl = Process()
    let output = Pipe()
    curl.executableURL = URL(filePath: "/usr/bin/curl")
    curl.arguments =
      [
        "-sS", "--noproxy", "*", "-X", request.method, "-w", "\n%{http_code} %{content_type}",
        "-H", "Content-Type: \(request.headers["content-type"] ?? "")",
      ] + (request.body.isEmpty ? [] : ["--data-binary", request.text])
      + [address + request.target]
    curl.standardOutput = output
    do { try curl.run() } catch { return .json("\(error)", status: 502) }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    curl.waitUntilExit()
    guard let end = text.lastIndex(of: "\n"),
      let status = Int(text[end...].dropFirst().prefix(while: \.isNumber)), status > 0
    else { return .json(text, status: 502) }
    let kind = text[end...].dropFirst(5).trimmingCharacters(in: .whitespaces)
    return .answer(status, headers: [("Content-Type", kind)], body: Array(text[..<end].utf8))
  }
}

import NatterCore

/// A connection problem as text: what happened, where, why, and what the user can do (interface.md,
/// "Alert").
///
/// The full screen and the commands use the same sentences.
nonisolated package struct ErrorText: Hashable, Sendable {
  /// A short phrase, such as "connection refused"; begins with a small letter.
  package let what: String
  /// The host and port, and the expected name of the certificate there; empty if nothing was
  /// contacted.
  package let location: String
  /// A sentence.
  package let why: String
  /// The possible action, as a sentence.
  package let now: String
  /// Text of this program or of the system, or a quotation of the server or the TLS library, on one
  /// line of bounded length; may be empty.
  package let detail: String
  private let whereLabel: String
  private let detailLabel: String

  package init(_ problem: ConnectionProblem, localizer: Localizer) {
    let key = "problem.\(problem.kind.rawValue)"
    let location = Self.location(of: problem, localizer)
    let host = Self.oneLine(problem.subject)
    let arguments = [
      "host": host.isEmpty ? localizer("problem.theServer") : host,
      "place": location.isEmpty ? localizer("problem.theServer") : location,
    ]
    what = localizer("\(key).what", arguments)
    // With a cause, it is this program that rejects the server's data and has ended the connection;
    // or it has no means of encryption.
    let isOurs =
      (problem.kind == .notUnderstood || problem.kind == .tlsFailed) && problem.cause != nil
    why = localizer(isOurs ? "\(key).whyOurs" : "\(key).why", arguments)
    now =
      if isOurs {
        localizer("\(key).nowOurs", arguments)
      } else if problem.kind == .unknownHost && problem.isServerNamed {
        localizer("problem.unknownHost.nowNamed", arguments)
      } else {
        localizer("\(key).now", arguments)
      }
    headline = localizer(
      "problem.sentence", ["what": what.prefix(1).uppercased() + what.dropFirst()])
    self.location = location
    detail =
      problem.cause.map { Self.oneLine(localizer($0), limit: 400) }
      ?? Self.quotation(of: problem, localizer)
    whereLabel = localizer("problem.where")
    detailLabel = localizer("problem.detail")
  }

  /// Returns untranslated text with its source.
  private static func quotation(of problem: ConnectionProblem, _ localizer: Localizer) -> String {
    let detail = oneLine(problem.detail)
    guard !detail.isEmpty else { return "" }
    switch problem.kind {
    case _ where problem.concernsCertificate, .tlsFailed, .authoritiesUnusable:
      return localizer("problem.saidByTLS", ["text": detail])
    // Others may come from this program as well.
    case .wrongPassword, .accountDisabled, .credentialsExpired, .mechanismTooWeak, .tokenRefused,
      .scopeMissing, .busy, .conflict, .domainNotServed, .policyViolation, .serverShutdown,
      .idleTooLong, .movedAway, .signInWeakened, .otherAccount:
      return localizer("problem.saidByServer", ["text": detail])
    case .notUnderstood: return localizer("problem.saidByProtocol", ["text": detail])
    default: return detail
    }
  }

  private static func location(of problem: ConnectionProblem, _ localizer: Localizer) -> String {
    let host = oneLine(problem.host)
    guard !host.isEmpty else { return "" }
    let location =
      problem.port > 0
      ? localizer("problem.place", ["host": host, "port": String(problem.port)]) : host
    guard let name = problem.certificateName.map(oneLine), !name.isEmpty else { return location }
    return localizer("problem.placeFor", ["place": location, "name": name])
  }

  /// The value of `what` with a capital first letter and a full stop.
  package let headline: String

  /// Everything, one sentence or fact per line: for the form's message and for standard error.
  package var lines: [String] {
    var lines = [headline]
    if !location.isEmpty { lines.append("\(whereLabel): \(location)") }
    if !detail.isEmpty { lines.append("\(detailLabel): \(detail)") }
    lines.append(why)
    lines.append(now)
    return lines
  }

  /// The lines without the headline, under the field that has the error.
  package var linesWithoutHeadline: [String] {
    var lines = [why]
    if !location.isEmpty { lines.append("\(whereLabel): \(location)") }
    if !detail.isEmpty { lines.append("\(detailLabel): \(detail)") }
    return lines + [now]
  }

  /// The minimum: what, where, and the possible action.
  package var shortLines: [String] {
    [headline] + (location.isEmpty ? [] : ["\(whereLabel): \(location)"]) + [now]
  }

  /// Returns remote text for use within a line, such as a name: runs of spaces, line ends and
  /// control characters become one space, and it ends after 200 characters.
  package static func oneLine(_ text: String) -> String { oneLine(text, limit: 200) }

  /// Returns the same with another limit, in characters.
  package static func oneLine(_ text: String, limit: Int) -> String {
    if isOneLine(text.utf8, limit: limit) { return text }
    var result = ""
    var count = 0
    var blankBefore = true
    for character in text {
      // A grapheme may carry any number of combining marks.
      let isBlank =
        character.isWhitespace
        || character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
      guard count < limit || isBlank else { return result + "…" }
      if isBlank {
        if !blankBefore {
          result.append(" ")
          count += 1
        }
      } else {
        result.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(12))
        count += 1
      }
      blankBefore = isBlank
    }
    while result.hasSuffix(" ") { result.removeLast() }
    return result
  }

  /// True if it is printable ASCII with single spaces only, as most text is: a fast path for names.
  private static func isOneLine(_ bytes: String.UTF8View, limit: Int) -> Bool {
    var blankBefore = true
    var count = 0
    for byte in bytes {
      let isBlank = byte == UInt8(ascii: " ")
      count += 1
      guard count <= limit, isBlank ? !blankBefore : 0x21...0x7E ~= byte else { return false }
      blankBefore = isBlank
    }
    return count == 0 || !blankBefore
  }
}

import NatterCore

/// A connection problem in words: what happened, where, why, and what can be done now
/// (interface.md, "Alert").
///
/// The full screen and the commands say the same sentences.
nonisolated package struct ErrorText: Hashable, Sendable {
  /// A few words, as "connection refused"; begins with a small letter.
  package let what: String
  /// The host and port that were asked, and whose certificate was wanted there; empty when nothing was asked.
  package let place: String
  /// A sentence.
  package let why: String
  /// What can be done, as a sentence.
  package let now: String
  /// Words of this program or of the system, or those of the server or the TLS library with its name, on one line of bounded
  /// length; may be empty.
  package let detail: String
  private let whereLabel: String
  private let detailLabel: String

  package init(_ problem: ConnectionProblem, localizer: Localizer) {
    let key = "problem.\(problem.kind.rawValue)"
    let place = Self.place(of: problem, localizer)
    let host = Self.oneLine(problem.subject)
    let arguments = [
      "host": host.isEmpty ? localizer("problem.theServer") : host,
      "place": place.isEmpty ? localizer("problem.theServer") : place,
    ]
    what = localizer("\(key).what", arguments)
    // With a cause it is this program that does not take what the server says, and has ended it; or that has nothing to
    // encrypt with.
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
    self.place = place
    detail =
      problem.cause.map { Self.oneLine(localizer($0), limit: 400) }
      ?? Self.quotation(of: problem, localizer)
    whereLabel = localizer("problem.where")
    detailLabel = localizer("problem.detail")
  }

  /// What nobody has put into the person's language, with who says it.
  private static func quotation(of problem: ConnectionProblem, _ localizer: Localizer) -> String {
    let words = oneLine(problem.detail)
    guard !words.isEmpty else { return "" }
    switch problem.kind {
    case _ where problem.concernsCertificate, .tlsFailed, .authoritiesUnusable:
      return localizer("problem.saidByTLS", ["text": words])
    // Others may be told of by this program, too.
    case .wrongPassword, .accountDisabled, .credentialsExpired, .mechanismTooWeak, .tokenRefused,
      .scopeMissing, .busy, .conflict, .domainNotServed, .policyViolation, .serverShutdown,
      .idleTooLong, .movedAway, .signInWeakened, .otherAccount:
      return localizer("problem.saidByServer", ["text": words])
    case .notUnderstood: return localizer("problem.saidByProtocol", ["text": words])
    default: return words
    }
  }

  private static func place(of problem: ConnectionProblem, _ localizer: Localizer) -> String {
    let host = oneLine(problem.host)
    guard !host.isEmpty else { return "" }
    let place =
      problem.port > 0
      ? localizer("problem.place", ["host": host, "port": String(problem.port)]) : host
    guard let name = problem.certificateName.map(oneLine), !name.isEmpty else { return place }
    return localizer("problem.placeFor", ["place": place, "name": name])
  }

  /// `what` with a capital first letter and a full stop.
  package let headline: String

  /// Everything, one sentence or fact to a line: for the form's message and for standard error.
  package var lines: [String] {
    var lines = [headline]
    if !place.isEmpty { lines.append("\(whereLabel): \(place)") }
    if !detail.isEmpty { lines.append("\(detailLabel): \(detail)") }
    lines.append(why)
    lines.append(now)
    return lines
  }

  /// What is said where the headline stands already, under the field that is wrong.
  package var linesWithoutHeadline: [String] {
    var lines = [why]
    if !place.isEmpty { lines.append("\(whereLabel): \(place)") }
    if !detail.isEmpty { lines.append("\(detailLabel): \(detail)") }
    return lines + [now]
  }

  /// The least that helps: what, where, and what can be done.
  package var shortLines: [String] {
    [headline] + (place.isEmpty ? [] : ["\(whereLabel): \(place)"]) + [now]
  }

  /// Text from outside as it stands within a line, a name above all: runs of blanks, line ends and controls become one blank,
  /// and it ends after 200 characters.
  package static func oneLine(_ text: String) -> String { oneLine(text, limit: 200) }

  /// The same with another length, in characters.
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

  /// Whether it is words of ASCII with one blank between two, as most are: names are asked for often.
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

import FoundationEssentials
import NatterCore
import XMPP

// The reason of a refusal, stored so that it can be shown later, in any language.
extension ColumnCoding {
  /// The text's key and its arguments.
  private struct Record: Codable {
    let key: String
    let arguments: [String: String]
  }

  static func text(of refusal: StatusNotice?) throws -> String? {
    guard let refusal else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(Record(key: refusal.key, arguments: refusal.arguments))
    return String(decoding: data, as: UTF8.self)
  }

  static func notice(_ text: String?) -> StatusNotice? {
    guard let text else { return nil }
    if let record = try? JSONDecoder().decode(Record.self, from: Data(text.utf8)) {
      return StatusNotice(.error, record.key, record.arguments)
    }
    // Something was refused, even where the reason is unreadable: show the text as it is.
    return NatterError(answering: StanzaError(.cancel, .undefinedCondition, text: text)).notice
  }
}

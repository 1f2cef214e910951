import NatterCore
import XMPP

/// The messages that a script was asked about, with its answers: the last ones, within bounds.
///
/// Two halves: once the newer one is full, it becomes the older one, whose content is dropped.
struct DecorationCache: Sendable {
  enum Finding: Hashable, Sendable {
    /// The script was not asked about the message with this text, as far as is known.
    case unknown
    /// There is no answer yet.
    case asked
    case answered(MessageDecoration)
  }

  private struct Key: Hashable {
    let account: JID
    let id: Message.ID
  }

  private struct Entry {
    let subject: DecorationRequest.Subject
    /// `nil`: there is none yet.
    let decoration: MessageDecoration?

    /// A rough size in memory.
    var bytes: Int {
      let spans = decoration?.spans.reduce(0) { $0 + 64 + ($1.link?.utf8.count ?? 0) } ?? 0
      let notes = decoration?.notes.reduce(0) { $0 + 16 + $1.utf8.count } ?? 0
      return 160 + subject.body.utf8.count + spans + notes
    }
  }

  private let entryLimit: Int
  private let byteLimit: Int
  private var newer: [Key: Entry] = [:]
  private var older: [Key: Entry] = [:]
  private var newerBytes = 0
  private var olderBytes = 0

  /// - Parameters:
  ///   - entryLimit: the most messages that are kept.
  ///   - byteLimit: the most bytes of texts and answers, roughly.
  init(entryLimit: Int = 2000, byteLimit: Int = 4 << 20) {
    (self.entryLimit, self.byteLimit) = (entryLimit, byteLimit)
  }

  var count: Int { newer.count + older.count }
  var bytes: Int { newerBytes + olderBytes }

  /// Returns what is known of a message, which counts as used.
  mutating func find(_ subject: DecorationRequest.Subject, of account: JID) -> Finding {
    let key = Key(account: account, id: subject.id)
    let isNewer = newer[key] != nil
    guard let entry = newer[key] ?? older[key], entry.subject == subject else { return .unknown }
    if !isNewer { put(key, entry) }
    return entry.decoration.map { .answered($0) } ?? .asked
  }

  /// Keeps that the script is asked about a message; its answer to an earlier text is dropped.
  mutating func ask(_ subject: DecorationRequest.Subject, of account: JID) {
    put(Key(account: account, id: subject.id), Entry(subject: subject, decoration: nil))
  }

  /// Keeps an answer, unless the script was asked about a newer text meanwhile.
  mutating func answer(
    _ subject: DecorationRequest.Subject, of account: JID, _ decoration: MessageDecoration
  ) {
    let key = Key(account: account, id: subject.id)
    if let entry = newer[key] ?? older[key], entry.subject != subject { return }
    put(key, Entry(subject: subject, decoration: decoration))
  }

  /// Forgets that the script was asked about a message.
  mutating func forget(_ subject: DecorationRequest.Subject, of account: JID) {
    remove(Key(account: account, id: subject.id))
  }

  private mutating func put(_ key: Key, _ entry: Entry) {
    remove(key)
    if newer.count >= entryLimit / 2 || newerBytes + entry.bytes > byteLimit / 2 {
      (older, olderBytes) = (newer, newerBytes)
      (newer, newerBytes) = ([:], 0)
    }
    newer[key] = entry
    newerBytes += entry.bytes
  }

  private mutating func remove(_ key: Key) {
    if let entry = newer.removeValue(forKey: key) { newerBytes -= entry.bytes }
    if let entry = older.removeValue(forKey: key) { olderBytes -= entry.bytes }
  }
}

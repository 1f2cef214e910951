import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The positions up to which the conversations of a page are read, before the page is stored.
///
/// A page that fills a gap brings messages that are older than stored ones. The stored messages
/// before the first unread one are read, and so is everything below them: what is fetched there
/// later is not unread.
struct ReadFloors {
  /// The position of the last read message of each conversation that has one.
  private var floors: [JID: Date] = [:]

  /// - Parameter page: its messages that do not fill a gap (`IncomingMessage.Placement.fillsGap`)
  ///   are ignored.
  init(under page: [MessageWriter.Arrival], in db: DatabaseConnection) throws {
    var seen: Set<JID> = []
    for (message, _) in page where message.placement.fillsGap {
      guard seen.insert(message.conversation).inserted else { continue }
      let jid = try ConversationRecord.key(of: message.conversation, isOccupant: true, in: db)
      if let record = try ConversationRecord.find(jid, in: db) {
        floors[record.conversation.jid] = try Self.floor(of: record, in: db)
      }
    }
  }

  /// The page without unread messages below the floors.
  func applied(to page: [MessageWriter.Arrival], in db: DatabaseConnection) throws
    -> [MessageWriter.Arrival]
  {
    guard !floors.isEmpty else { return page }
    return try page.map { message, counts in
      guard counts, message.placement.fillsGap else { return (message, counts) }
      let jid = try ConversationRecord.key(of: message.conversation, isOccupant: true, in: db)
      return (message, !isRead(at: message.placedAt, in: jid))
    }
  }

  /// The new messages among `stored` that are below the floors.
  func read(among stored: [Message]) -> Set<Message.ID> {
    Set(stored.filter { isRead(at: $0.position.time, in: $0.conversation) }.map(\.id))
  }

  private func isRead(at time: Date, in conversation: JID) -> Bool {
    floors[conversation].map { time < $0 } ?? false
  }

  /// The position of the newest received message that is not unread. Messages of this client show
  /// nothing: the user may have written them before what is missing arrived.
  private static func floor(of record: ConversationRecord, in db: DatabaseConnection) throws
    -> Date?
  {
    let first = record.conversation.firstUnread
    let time = first.map { ColumnCoding.microseconds($0.time) } ?? .max
    return try db.firstRow(
      """
      SELECT position FROM message INDEXED BY message_page WHERE conversation = ?
        AND position <= ? AND is_outgoing = 0 AND corrects IS NULL AND effect IS NULL
        AND retraction IS NULL AND (position < ? OR id < ?)
      ORDER BY position DESC, id DESC LIMIT 1
      """, record.rowID, time, time, first?.id.rawValue ?? .max
    ) { ColumnCoding.date($0.int64(0)) }
  }
}

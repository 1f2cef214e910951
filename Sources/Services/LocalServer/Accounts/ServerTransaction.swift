import SQLite

/// The stores of the server's persistent data, within one transaction.
struct ServerTransaction {
  let accounts: AccountStore
  let rosters: RosterStore
  let messages: MessageStore
  let elements: KeptElementStore
  let archives: ArchiveStore
  let rooms: RoomStore
  let nodes: NodeStore
  let blocks: BlockStore
  let tokens: TokenStore

  init(_ database: DatabaseConnection) {
    accounts = AccountStore(database: database)
    rosters = RosterStore(database: database)
    messages = MessageStore(database: database)
    elements = KeptElementStore(database: database)
    archives = ArchiveStore(database: database)
    rooms = RoomStore(database: database)
    nodes = NodeStore(database: database)
    blocks = BlockStore(database: database)
    tokens = TokenStore(database: database)
  }
}

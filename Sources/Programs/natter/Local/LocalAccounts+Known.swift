import FoundationEssentials
import NatterCore
import Storage
import XMPP

// The accounts of the built-in server that were used here: none of them is on the list of signed-in
// accounts.
extension LocalAccounts {
  /// The one that was used last, by the dates of its files; `nil`: none was.
  var lastUsed: JID? {
    let folder = context.paths.data.appending(path: "accounts")
    let ending = "@\(Self.domain).db"
    // An unreadable folder offers none.
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(ending) }.compactMap { file -> (jid: JID, date: Date)? in
      // A name with characters that file names cannot have is not recognized.
      guard let jid = JID(userInput: String(file.dropLast(3))),
        AccountDatabase.fileName(of: jid) == file,
        let date = FileDate.of(folder.appending(path: file).path)
      else { return nil }
      return (jid, date)
    }.max { $0.date < $1.date }?.jid
  }

  /// An account that is given only by its address, as one of the built-in server; `nil`: it is
  /// none, or the user has signed in to an account of that name on another server.
  func known(_ account: Account) async throws -> Account? {
    guard account.jid.domain == Self.domain, account.jid.local != Self.guideName,
      account == Account(jid: account.jid), context.given == nil,
      try await context.maySignIn(to: account.jid),
      try await !context.accounts.accounts().contains(where: { $0.jid.bare == account.jid.bare })
    else { return nil }
    var known = try await self.account(named: account.jid.description, isFresh: false)
    known.signsInAtStart = true
    return known
  }
}

import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// An archive that answers every question with the same page, and says that there is more.
actor EndlessArchive: StanzaChannel {
  let page: ScriptedArchive.Entry
  private(set) var asked = 0
  private(set) var sent: [Element] = []

  init(page: ScriptedArchive.Entry) { self.page = page }

  func send(_ stanza: Element) { sent.append(stanza) }
  func request(_ iq: Element, timeout: Duration) throws -> Element { throw ChannelError.timedOut }
  func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) -> XEP0313Page {
    asked += 1
    return XEP0313Page(
      results: [XEP0313Result(id: page.id, stamp: page.stamp, message: page.message)],
      isComplete: false)
  }
}

/// How much a device may make this one compute and store.
package struct RatchetLimits: Sendable, Hashable {
  /// The most bytes of one message.
  package let messageByteCount: Int
  /// The most keys of missing messages that one message makes this device compute, for the chain it
  /// is in (whichever session has it) and for the rest of the chain before it.
  package let skippedByMessage: Int
  /// The most keys of missing messages that a session keeps. The oldest are dropped first.
  package let keptKeys: Int
  /// The number of earlier ratchet keys of the other device that are remembered, so that a second
  /// copy of a message is recognized.
  package let finishedChains: Int
  /// The number of earlier sessions with a device that are kept to read messages.
  package let formerSessions: Int

  package init(
    messageByteCount: Int = 4096, skippedByMessage: Int = 2000, keptKeys: Int = 2000,
    finishedChains: Int = 40, formerSessions: Int = 5
  ) {
    self.messageByteCount = messageByteCount
    self.skippedByMessage = skippedByMessage
    self.keptKeys = keptKeys
    self.finishedChains = finishedChains
    self.formerSessions = formerSessions
  }

  /// The limits of messages that arrive live.
  package static let live = RatchetLimits()
  /// The limits while archives are read: several archives have parts of one chain.
  package static let archive = RatchetLimits(keptKeys: 10_000)
}

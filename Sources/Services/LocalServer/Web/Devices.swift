import Crypto
import Synchronization

/// The pending device codes (RFC 8628), in memory: after a restart of the server clients request
/// new ones.
final class Devices: Sendable {
  static let lifetime = 600.0
  static let interval = 1.0

  enum DeviceState: Equatable {
    case waiting, hasty, denied, expired
    case approved(String)
  }

  private struct Device {
    let userCode: String
    let end: Double
    var asked = -Double.infinity
    /// `nil` until the user decides; `.some(nil)` for a denial, otherwise the account.
    var decision: String??
  }

  private let devices = Mutex<[String: Device]>([:])

  func begin(at time: Double) -> (device: String, user: String) {
    // No vowels, so that no words arise, and no ambiguous characters (RFC 8628 §6.1).
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    let random = randomBytes(8).map { letters[Int($0) % letters.count] }
    let user = String(random[..<4]) + "-" + String(random[4...])
    let device = randomIdentifier(byteCount: 24)
    devices.withLock { devices in
      devices = devices.filter { $0.value.end > time }
      devices[device] = Device(userCode: user, end: time + Self.lifetime)
    }
    return (device, user)
  }

  /// - Parameter account: the approving account; `nil` for a denial.
  /// - Returns: whether a device was waiting with this code.
  func decide(_ userCode: String, _ account: String?, at time: Double) -> Bool {
    devices.withLock { devices in
      guard
        let device = devices.first(where: {
          $0.value.userCode == userCode && $0.value.end > time && $0.value.decision == nil
        })?.key
      else { return false }
      devices[device]?.decision = .some(account)
      return true
    }
  }

  /// Returns the state of a device; a decision is returned only once.
  func state(of device: String, at time: Double) -> DeviceState {
    devices.withLock { devices in
      guard var found = devices[device], found.end > time else { return .expired }
      if let decision = found.decision {
        devices[device] = nil
        return decision.map { .approved($0) } ?? .denied
      }
      let isHasty = time - found.asked < Self.interval * 0.5
      found.asked = time
      devices[device] = found
      return isHasty ? .hasty : .waiting
    }
  }
}

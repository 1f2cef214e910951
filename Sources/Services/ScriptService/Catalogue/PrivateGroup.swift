import Glibc

/// The group that has the user as its only member. Where systems give each user one, new files can
/// be written by the group (umask 002), and still by the user only.
package enum PrivateGroup {
  private static let nameLimit = 1 << 16

  /// The user's own group; `nil`: other users are in it, or may be. Looked up once; it blocks.
  package static let own: gid_t? = {
    let group = getegid()
    guard let user = name(of: geteuid()), let found = members(of: group) else { return nil }
    return isPrivate(found, to: user) ? group : nil
  }()

  /// Indicates whether a group is a user's alone: by the convention of such systems it has the
  /// user's name, and no further members.
  static func isPrivate(_ group: (name: String, members: [String]), to user: String) -> Bool {
    group.name == user && group.members.allSatisfy { $0 == user }
  }

  private static func name(of user: uid_t) -> String? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: nameLimit) { space in
      guard let buffer = space.baseAddress,
        getpwuid_r(user, &entry, buffer, space.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return nil }
      return String(cString: name)
    }
  }

  private static func members(of group: gid_t) -> (name: String, members: [String])? {
    var (entry, found) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: nameLimit) { space in
      // A group with more members than fit is not private.
      guard let buffer = space.baseAddress,
        getgrgid_r(group, &entry, buffer, space.count, &found) == 0, found != nil,
        let name = entry.gr_name
      else { return nil }
      var members: [String] = []
      var next = entry.gr_mem
      while let member = next?.pointee {
        members.append(String(cString: member))
        next = next?.successor()
      }
      return (String(cString: name), members)
    }
  }
}

// Rooms, their members, and invitations.
enum RoomsSchema {
  static let sql = """
    -- Bookmarked rooms, and others that the user was in (XEP-0045, XEP-0402).
    CREATE TABLE room (
      -- The bare address.
      jid TEXT NOT NULL PRIMARY KEY,
      -- The bookmark's name; NULL: none.
      name TEXT,
      -- The user's nick there; NULL: the account's name.
      nick TEXT,
      -- The room's password; NULL: none is known.
      password TEXT,
      -- Whether it is joined after signing in.
      autojoin INTEGER NOT NULL DEFAULT 0,
      -- Whether the server has a bookmark of it.
      is_published INTEGER NOT NULL DEFAULT 0,
      -- Whether the bookmark has a pending change.
      is_changed INTEGER NOT NULL DEFAULT 0,
      -- A pending choice of notifications, made where the server could not be reached; '': as in other rooms; NULL: none.
      notification_wish TEXT,
      -- Whether the user was in it, or joining.
      is_wanted INTEGER NOT NULL DEFAULT 0,
      -- '': none.
      subject TEXT NOT NULL DEFAULT '',
      -- The owner's description of the room; '': none.
      about TEXT NOT NULL DEFAULT '',
      -- The SHA-1 of its picture (XEP-0486); NULL: none is known.
      picture_id TEXT,
      -- Why the user is not in it although they did not leave, who did it, the reason given, and the room to join instead; all
      -- NULL: nothing of that kind happened.
      exit_cause TEXT,
      exit_actor TEXT,
      exit_reason TEXT,
      exit_alternative TEXT
    ) STRICT, WITHOUT ROWID;

    -- Affiliations of a room, of members in it or not, as last announced (XEP-0045 §9.5, §10.5, §10.8).
    CREATE TABLE room_member (
      room TEXT NOT NULL,
      -- The bare address.
      jid TEXT NOT NULL,
      affiliation TEXT NOT NULL CHECK (affiliation IN ('owner', 'admin', 'member')),
      -- The nick that is registered for them; NULL: none.
      nick TEXT,
      PRIMARY KEY (room, jid)
    ) STRICT, WITHOUT ROWID;

    -- Invitations (XEP-0045 §7.8, XEP-0249) without an answer: one for each room.
    CREATE TABLE room_invitation (
      room TEXT NOT NULL PRIMARY KEY,
      inviter TEXT NOT NULL,
      reason TEXT,
      -- The room's password; NULL: the invitation had none.
      password TEXT,
      -- Whether it came through the room, which then takes a refusal.
      is_mediated INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}

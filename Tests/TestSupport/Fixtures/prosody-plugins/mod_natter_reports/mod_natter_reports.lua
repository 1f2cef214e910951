-- Ours, for tests: reports of XEP-0377, which Debian's modules do not take. Whoever reports somebody is
-- written to about it, in the words that arrived.

local st = require "util.stanza";

local xmlns_blocking = "urn:xmpp:blocking";
local xmlns_reporting = "urn:xmpp:reporting:1";

module:depends("blocklist");
module:add_feature(xmlns_reporting);

module:hook("iq-set/self/"..xmlns_blocking..":block", function (event)
	local origin, stanza = event.origin, event.stanza;
	local block = stanza:get_child("block", xmlns_blocking);
	for item in block:childtags("item") do
		local report = item:get_child("report", xmlns_reporting);
		if report then
			module:send(st.message({ type = "chat", from = module.host,
				to = origin.username.."@"..module.host },
				("Reported %s for %s: %s"):format(item.attr.jid, report.attr.reason,
					report:get_child_text("text") or "")));
		end
	end
end, 100);

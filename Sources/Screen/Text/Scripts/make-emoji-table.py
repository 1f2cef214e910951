#!/usr/bin/env python3
"""Writes EmojiTable.swift: the names of emoji, for completion and where a terminal has none.

Run it from the folder it is in, and make-emoji-names.py after it:
    python3 make-emoji-table.py > ../EmojiTable.swift
The long names are those of Unicode (Python's unicodedata, 14.0 with Python 3.11), for signs that are emoji only when they
are followed by a variation selector those of CLDR (Debian: unicode-cldr-core). The short ones below are what people type
in chats; the first of them is the name that stands for the emoji.
"""
import textwrap
import unicodedata as u
import xml.etree.ElementTree as xml

SHORT = """
😀 grinning;😃 smiley;😄 smile;😁 grin;😆 laughing satisfied;😅 sweat_smile;🤣 rofl;😂 joy;🙂 slight_smile;🙃 upside_down
😉 wink;😊 blush;😇 innocent;🥰 smiling_hearts;😍 heart_eyes;🤩 star_struck;😘 kissing_heart;😋 yum;😛 tongue;😜 winking_tongue
🤪 zany;🤑 money_mouth;🤗 hugging hug;🤭 hand_over_mouth;🤫 shushing;🤔 thinking;🤐 zipper_mouth;🤨 raised_eyebrow
😐 neutral;😑 expressionless;😶 no_mouth;😏 smirk;😒 unamused;🙄 rolling_eyes eyeroll;😬 grimacing;🤥 lying;😌 relieved
😔 pensive;😪 sleepy;🤤 drooling;😴 sleeping;😷 mask;🤒 thermometer_face;🤕 bandaged;🤢 nauseated;🤮 vomiting;🤧 sneezing
🥵 hot;🥶 cold;🥴 woozy;😵 dizzy_face;🤯 exploding_head mind_blown;🤠 cowboy;🥳 partying party;😎 sunglasses cool_face;🤓 nerd
🧐 monocle;😕 confused;😟 worried;🙁 slight_frown;😮 open_mouth;😯 hushed;😲 astonished;😳 flushed;🥺 pleading;😦 frowning
😧 anguished;😨 fearful;😰 cold_sweat;😥 sad_relieved;😢 cry;😭 sob;😱 scream;😖 confounded;😣 persevere;😞 disappointed
😓 sweat;😩 weary;😫 tired;🥱 yawning;😤 triumph;😡 rage pout;😠 angry;🤬 cursing;😈 smiling_imp;👿 imp;💀 skull;💩 poop
🤡 clown;👻 ghost;👽 alien;👾 space_invader;🤖 robot;😺 smiley_cat;😸 smile_cat;😹 joy_cat;😻 heart_eyes_cat;🙈 see_no_evil
🙉 hear_no_evil;🙊 speak_no_evil;💋 kiss;💌 love_letter;💘 cupid;💝 gift_heart;💖 sparkling_heart;💗 heartpulse;💓 heartbeat
💕 two_hearts;💔 broken_heart;❤ heart;🧡 orange_heart;💛 yellow_heart;💚 green_heart;💙 blue_heart;💜 purple_heart
🖤 black_heart;🤍 white_heart;🤎 brown_heart;💯 100 hundred;💢 anger;💥 boom collision;💫 dizzy;💦 sweat_drops;💨 dash;💣 bomb
💬 speech_balloon;💭 thought_balloon;💤 zzz;👋 wave;🤚 raised_back_of_hand;✋ raised_hand;🖖 vulcan;👌 ok_hand;🤏 pinching
✌ victory v;🤞 crossed_fingers;🤟 love_you;🤘 metal;🤙 call_me;👈 point_left;👉 point_right;👆 point_up;🖕 middle_finger
👇 point_down;☝ index_up;👍 thumbs_up thumbsup +1;👎 thumbs_down thumbsdown -1;✊ fist;👊 punch facepunch;👏 clap
🙌 raised_hands;👐 open_hands;🤲 palms_up;🤝 handshake;🙏 pray thanks;✍ writing_hand;💅 nail_care;🤳 selfie;💪 muscle
👂 ear;👃 nose;🧠 brain;👀 eyes;👁 eye;👅 tongue_out;👄 lips;👶 baby;👦 boy;👧 girl;👨 man;👩 woman;👴 older_man;👵 older_woman
🤦 facepalm;🤷 shrug;🙋 raising_hand;🙇 bow;🙅 no_good;🙆 ok_person;💁 tipping_hand;💃 dancer;🕺 man_dancing;👫 couple;👪 family
🐶 dog;🐱 cat;🐭 mouse;🐹 hamster;🐰 rabbit;🦊 fox;🐻 bear;🐼 panda;🐨 koala;🐯 tiger;🦁 lion;🐮 cow;🐷 pig;🐸 frog;🐵 monkey
🐔 chicken;🐧 penguin;🐦 bird;🦆 duck;🦅 eagle;🦉 owl;🦇 bat;🐺 wolf;🐴 horse;🦄 unicorn;🐝 bee;🐛 bug;🦋 butterfly;🐌 snail
🐞 ladybug lady_beetle;🐜 ant;🕷 spider;🐢 turtle;🐍 snake;🐙 octopus;🐠 tropical_fish;🐟 fish;🐬 dolphin;🐳 whale;🦈 shark
🐘 elephant;🌵 cactus;🎄 christmas_tree;🌲 evergreen;🌳 tree;🌴 palm_tree;🌱 seedling;🍀 four_leaf_clover;🍁 maple_leaf
💐 bouquet;🌷 tulip;🌹 rose;🌻 sunflower;🌸 cherry_blossom;🌞 sun_with_face;🌙 moon;⭐ star;🌟 glowing_star;✨ sparkles;⚡ zap
🔥 fire;🌈 rainbow;☀ sun sunny;☁ cloud;❄ snowflake;⛄ snowman;🌊 ocean;☔ umbrella;☂ open_umbrella;🌍 earth_africa;🌎 earth_americas
🌏 earth_asia;🍏 green_apple;🍎 apple;🍐 pear;🍊 tangerine;🍋 lemon;🍌 banana;🍉 watermelon;🍇 grapes;🍓 strawberry;🍒 cherries
🍑 peach;🍍 pineapple;🥝 kiwi;🍅 tomato;🥑 avocado;🍆 eggplant;🥕 carrot;🌽 corn;🥔 potato;🍞 bread;🥐 croissant;🥖 baguette
🧀 cheese;🥚 egg;🥓 bacon;🍔 burger hamburger;🍟 fries;🍕 pizza;🌮 taco;🍜 ramen;🍝 spaghetti;🍣 sushi;🍦 ice_cream;🍩 doughnut
🍪 cookie;🎂 birthday cake;🍰 shortcake;🍫 chocolate;🍬 candy;🍿 popcorn;☕ coffee;🍵 tea;🍶 sake;🍾 champagne;🍷 wine;🍸 cocktail
🍺 beer;🍻 beers cheers;🥂 clinking_glasses;⚽ soccer;🏀 basketball;🏈 football;🎾 tennis;🏆 trophy;🥇 gold_medal;🎯 dart;🎲 game_die
🎮 video_game;🎵 musical_note;🎶 notes;🎤 microphone;🎧 headphones;🎸 guitar;🎹 piano;🎺 trumpet;🎻 violin;🎬 clapper;🎨 art
🚗 car;🚕 taxi;🚌 bus;🚑 ambulance;🚒 fire_engine;🚲 bike;🚂 steam_train;🚆 train;🚇 metro;✈ airplane plane;🚀 rocket;🚁 helicopter
⛵ sailboat;⚓ anchor;🚧 construction;🚦 traffic_light;🏠 house;🏢 office;🏥 hospital;🏖 beach;⛺ tent;🗽 statue_of_liberty;🗼 tower
⌚ watch;📱 phone iphone;☎ telephone;💻 laptop computer;⌨ keyboard;🖥 desktop;🖨 printer;🖱 mouse_device;💾 floppy_disk;💿 cd;📷 camera
🎥 movie_camera;📺 tv;📻 radio;⏰ alarm_clock;⏳ hourglass_flowing;🔋 battery;🔌 plug;💡 bulb idea;🔦 flashlight;💸 money_with_wings
💰 moneybag;💳 credit_card;💎 gem;🔧 wrench;🔨 hammer;⚙ gear;🔩 nut_and_bolt;🔗 link;🧲 magnet;🔬 microscope;🔭 telescope;💉 syringe
💊 pill;🚪 door;🛏 bed;🚽 toilet;🛒 shopping_cart;🎁 gift present;🎈 balloon;🎉 tada hooray;🎊 confetti;📧 email;📦 package
📝 memo pencil;📁 folder;📅 calendar;📈 chart_up;📉 chart_down;📊 bar_chart;📌 pushpin;📎 paperclip;✂ scissors;🔒 lock;🔓 unlock
🔑 key;🔍 mag search;✏ pencil2;📚 books;📖 book;🔖 bookmark;🏷 label;📰 newspaper;🔔 bell;🔕 no_bell;📣 mega;📢 loudspeaker
⚠ warning;⛔ no_entry;🚫 prohibited;❌ x cross;⭕ o;✅ white_check_mark check;✔ check_mark;✖ multiply;➕ plus;➖ minus;❓ question
❗ exclamation;❕ white_exclamation;♻ recycle;⬆ arrow_up;⬇ arrow_down;⬅ arrow_left;➡ arrow_right;🔄 arrows_counterclockwise;🆗 ok
🆒 cool;🆕 new;🆓 free;🆘 sos;🔴 red_circle;🟢 green_circle;🟡 yellow_circle;🔵 blue_circle;🏁 checkered_flag;🚩 red_flag
🏳 white_flag;🏴 black_flag;☺ relaxed;☹ frowning2;♥ hearts;♦ diamonds;♣ clubs;♠ spades;☮ peace;☯ yin_yang;✝ cross_latin;☢ radioactive
🕐 one_oclock;💔 broken_heart;🫡 saluting;🫠 melting;🫶 heart_hands;🥲 smiling_tear;🫣 peeking;🕶 dark_sunglasses;☃ snowman_with_snow
"""

# Emoji_Presentation: the characters that terminals and clients draw as pictures by default.
ranges = [(0x231A, 0x2B55), (0x1F004, 0x1F19A), (0x1F300, 0x1FAFF)]
emoji = {}
for first, last in ranges:
    for c in range(first, last + 1):
        ch = chr(c)
        if u.category(ch) == 'So' and u.east_asian_width(ch) == 'W':
            emoji[ch] = [u.name(ch).lower().replace(' ', '_').replace('-', '_')]
taken = set()
for entry in SHORT.replace('\n', ';').split(';'):
    if not entry.strip():
        continue
    ch, *names = entry.split()
    names = [n for n in names if n not in taken]
    taken.update(names)
    emoji[ch] = names + [n for n in emoji.get(ch, []) if n not in names]
# Characters that are drawn as pictures on request: most terminals that lack one lack the other.
texts = [(0x23CF, 0x23FA), (0x2600, 0x27BF), (0x1F000, 0x1FAFF)]
for note in xml.parse('/usr/share/unicode/cldr/common/annotations/en.xml').iter('annotation'):
    ch = note.get('cp')
    if note.get('type') != 'tts' or len(ch) != 1 or ch in emoji or ch in '♪♭♯':
        continue
    if u.category(ch) == 'So' and any(first <= ord(ch) <= last for first, last in texts):
        words = ''.join(c if c.isalnum() else ' ' for c in note.text.lower().replace('’', '')).split()
        emoji[ch] = ['_'.join(words)]
# A name means one emoji only: the dog is the one whose face people send.
used = set()
for ch, names in sorted(emoji.items(), key=lambda e: e[1][0] not in taken or u.name(e[0]).lower() == e[1][0]):
    while names[0] in used:
        names[0] += '_2'
    used.add(names[0])

print('// Generated by Scripts/make-emoji-table.py from Unicode %s; do not edit by hand.' % u.unidata_version)
print()
print('/// Every emoji of one scalar with its names, the main one first: `👍thumbs_up,thumbsup,+1`.')
print('nonisolated let emojiTable = """')
words = [ch + ','.join(names) for ch, names in sorted(emoji.items())]
for line in textwrap.wrap(' '.join(words), 240, break_long_words=False, break_on_hyphens=False):
    print('  ' + line)
print('  """')

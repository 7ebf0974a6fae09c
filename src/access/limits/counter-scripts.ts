import { defineScript, type CommandParser } from '@redis/client';

/** The scripts that read and change counters in Redis, each in one round trip. */

/** Nearly every call is accepted, so the script counts first and corrects the counters of a refused call. */
const TAKE = `
local node = ARGV[2]
local answer = {0}
for i = 1, #KEYS do
  local key = KEYS[i]
  local used = redis.call('HINCRBY', key, 'all', 1)
  local left = redis.call('PTTL', key)
  if left < 0 then
    left = tonumber(ARGV[1])
    redis.call('PEXPIRE', key, left)
  end
  if used > tonumber(ARGV[i + 2]) then
    local mine = tonumber(redis.call('HGET', key, node) or '0')
    for j = 1, i do
      if j < i then redis.call('HINCRBY', KEYS[j], node, -1) end
      -- A refused call opens no window.
      if redis.call('HINCRBY', KEYS[j], 'all', -1) == 0 then redis.call('DEL', KEYS[j]) end
    end
    return {i, used - 1, mine, left}
  end
  answer[i * 3 - 1] = used
  answer[i * 3] = redis.call('HINCRBY', key, node, 1)
  answer[i * 3 + 1] = left
end
return answer`;

const GIVE_BACK = `
for i = 1, #KEYS do
  for _, field in ipairs({'all', ARGV[1]}) do
    if tonumber(redis.call('HGET', KEYS[i], field) or '0') > 0 then redis.call('HINCRBY', KEYS[i], field, -1) end
  end
end
return 0`;

const RESTORE = `
local more = tonumber(ARGV[2]) - tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if more ~= 0 then
  redis.call('HINCRBY', KEYS[1], 'all', more)
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  left = tonumber(ARGV[3])
end
return {tonumber(redis.call('HGET', KEYS[1], 'all') or '0'), left}`;

export const counterScripts = {
  take: defineScript({
    SCRIPT: TAKE,
    parseCommand(parser: CommandParser, keys: string[], windowMs: number, node: string, limits: number[]) {
      parser.pushKeysLength(keys);
      parser.push(String(windowMs), node, ...limits.map(String));
    },
    transformReply: undefined as unknown as () => number[],
  }),
  giveBack: defineScript({
    SCRIPT: GIVE_BACK,
    parseCommand(parser: CommandParser, keys: string[], node: string) {
      parser.pushKeysLength(keys);
      parser.push(node);
    },
    transformReply: undefined as unknown as () => number,
  }),
  restore: defineScript({
    SCRIPT: RESTORE,
    parseCommand(parser: CommandParser, key: string, node: string, calls: number, msLeft: number) {
      parser.pushKeysLength([key]);
      parser.push(node, String(calls), String(msLeft));
    },
    transformReply: undefined as unknown as () => number[],
  }),
};

import { Refusal } from '../../../contract/problems.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BlockWanted, ReturnedCalls } from '../../store/api-keys/total.ts';
import type { Caller, CountedCall, Subject } from '../types.ts';

/**
 * The total of a key over all nodes. A node reserves a block of calls in the database and takes calls from it in
 * memory. A call that is not reserved is never accepted, so the total is never exceeded. A node that is killed loses at
 * most its block (docs/adr/0108).
 *
 * The first block that a node reserves is one call. While a key is busy, each block is twice as large as the block
 * before. A node returns a block that was not used for a second, so that another node can use it. A node also returns a
 * block that may be older than a change of its key or than the node's lease.
 */
export type CallBlocks = {
  /**
   * Takes one call for row 4b of the order of checks. Returns without a promise while the block has calls. Throws or
   * rejects with the Refusal `key_used_up`. Without a lease (`isGood`), each call is reserved in the database, because
   * the block may be older than a lowered total.
   */
  take(caller: Caller, isGood: boolean): CountedCall | Promise<CountedCall>;
  /** The number of calls of the key in this node's block. */
  left(keyId: string): number;
  drop(subject: Subject): void;
  flush(): void;
  /** Sets the number of nodes that may have a block of the key. */
  share(nodes: number): void;
  /** Once a second, returns calls that this node does not need. */
  sweep(): Promise<void>;
  /** Returns all calls to the database. Call this function when no request is in progress. */
  stop(): Promise<void>;
};

export type CallBlocksDeps = {
  clock: Clock;
  reserve(wanted: BlockWanted): Promise<number>;
  giveBack(returned: readonly ReturnedCalls[]): Promise<void>;
  onError(error: unknown): void;
};

/** A killed node loses at most this many calls of one key. */
export const MAX_BLOCK = 100;
/** A block is at most this part of the remaining calls, divided by the number of nodes. */
const PARTS = 10;
const IDLE_MS = 1_000;
/** The result "used up" is cached for this time only, because another node may return calls later. */
const USED_UP_MS = 1_000;

type Block = {
  readonly orgId: string;
  readonly keyId: string;
  left: number;
  next: number;
  takenAt: number;
  reservedAt: number;
  usedUpUntil: number;
  waiting: number;
  reserving: Promise<void> | null;
};

type State = CallBlocksDeps & {
  readonly blocks: Map<string, Block>;
  /** The calls that the next sweep returns. */
  readonly unneeded: Map<string, ReturnedCalls>;
  share: number;
};

export function createCallBlocks(deps: CallBlocksDeps): CallBlocks {
  const state: State = { ...deps, blocks: new Map(), unneeded: new Map(), share: PARTS };
  const { clock, blocks } = state;
  const removeAll = (isRemoved: (block: Block) => boolean = () => true): void => {
    for (const block of blocks.values()) if (isRemoved(block)) remove(state, block);
  };
  return {
    take: (caller, isGood) => {
      if (!isGood) return takeAlone(state, caller);
      const block = blockOf(state, caller);
      return takeNow(state, block) ?? takeLater(state, caller);
    },
    left: (keyId) => blocks.get(keyId)?.left ?? 0,
    drop: ({ kind, id }) => {
      const block = kind === 'key' ? blocks.get(id) : undefined;
      if (block) remove(state, block);
    },
    flush: () => removeAll(),
    share: (nodes) => {
      state.share = PARTS * Math.max(nodes, 1);
    },
    sweep: async () => {
      const now = clock.monotonic();
      removeAll(({ takenAt, waiting, usedUpUntil }) => now - takenAt >= IDLE_MS && waiting === 0 && now >= usedUpUntil);
      await returnUnneeded(state);
    },
    stop: async () => {
      removeAll();
      await returnUnneeded(state);
    },
  };
}

function blockOf({ blocks, clock }: State, { orgId, keyId }: Caller): Block {
  const known = blocks.get(keyId);
  if (known !== undefined) return known;
  const never = Number.NEGATIVE_INFINITY;
  const times = { takenAt: clock.monotonic(), reservedAt: never, usedUpUntil: never };
  const block: Block = { orgId, keyId, left: 0, next: 1, waiting: 0, reserving: null, ...times };
  blocks.set(keyId, block);
  return block;
}

/** Null: the block is empty, and the node may reserve more calls. */
function takeNow(state: State, block: Block): CountedCall | null {
  const now = state.clock.monotonic();
  if (block.left === 0) {
    if (now < block.usedUpUntil) throw usedUp();
    return null;
  }
  block.left--;
  block.takenAt = now;
  return {
    giveBack: () => {
      if (state.blocks.get(block.keyId) === block) block.left++;
      else release(state, block, 1);
    },
  };
}

async function takeLater(state: State, caller: Caller): Promise<CountedCall> {
  for (;;) {
    const block = blockOf(state, caller);
    const taken = takeNow(state, block);
    if (taken !== null) return taken;
    block.waiting++;
    try {
      await (block.reserving ??= fill(state, block));
    } finally {
      block.waiting--;
    }
  }
}

async function takeAlone(state: State, { orgId, keyId }: Caller): Promise<CountedCall> {
  const calls = await state.reserve({ orgId, keyId, atLeast: 1, atMost: 1, share: state.share });
  if (calls === 0) throw usedUp();
  return { giveBack: () => release(state, { orgId, keyId }, 1) };
}

async function fill(state: State, block: Block): Promise<void> {
  const { clock, blocks, unneeded, share } = state;
  const { orgId, keyId, waiting, reservedAt } = block;
  block.reservedAt = clock.monotonic();
  block.next = block.reservedAt - reservedAt < IDLE_MS ? Math.min(block.next * 2, MAX_BLOCK) : 1;
  try {
    // The node first returns unneeded calls. If the node kept unneeded calls, a key with a lowered total could be
    // refused although this node holds calls.
    if (unneeded.has(keyId)) await returnUnneeded(state);
    const atLeast = Math.min(waiting, MAX_BLOCK);
    const calls = await state.reserve({ orgId, keyId, atLeast, atMost: block.next, share });
    if (calls === 0) block.usedUpUntil = clock.monotonic() + USED_UP_MS;
    // The key has changed since the reservation, so the new total may be smaller.
    else if (blocks.get(keyId) !== block) release(state, block, calls);
    else block.left += calls;
  } finally {
    block.reserving = null;
  }
}

function remove(state: State, block: Block): void {
  state.blocks.delete(block.keyId);
  release(state, block, block.left);
  block.left = 0;
}

function release({ unneeded }: State, { orgId, keyId }: Pick<Block, 'orgId' | 'keyId'>, calls: number): void {
  if (calls > 0) unneeded.set(keyId, { orgId, keyId, calls: calls + (unneeded.get(keyId)?.calls ?? 0) });
}

async function returnUnneeded({ unneeded, giveBack, onError }: State): Promise<void> {
  if (unneeded.size === 0) return;
  const returned = [...unneeded.values()];
  unneeded.clear();
  // An error is not retried, because the calls may have been returned. If calls were returned twice, the total could be
  // exceeded.
  await giveBack(returned).catch(onError);
}

const usedUp = (): Refusal => new Refusal('key_used_up', 'The key has made all the calls of its total.');

import { ProviderError, type OpenImages, type TurnImage } from '../engine/provider.ts';
import type { BlobStore } from '../kernel/blob-store.ts';
import { createSharedMemory } from '../kernel/shared-memory.ts';
import { readAttachmentPart } from '../store/attachments/attachments.ts';
import { objectName } from '../store/attachments/blobs.ts';
import { findImages, type ImageRow } from '../store/attachments/images.ts';
import type { Db } from '../store/db.ts';

/** One image has at most this size, because Anthropic accepts 5 MB of base64, the lowest limit of the providers. */
const MAX_IMAGE_BYTES = 3_750_000;
/**
 * All images of one turn have at most this size. Providers limit the size of a request, and the lowest limit is 20 MB.
 */
const MAX_TURN_BYTES = 10_000_000;
/**
 * All images of the turns in progress have at most this size. Until the model answers, a turn needs several times the
 * size of its images in memory.
 */
const MAX_BYTES = 64_000_000;
/** The owner of a slow model server must not stop the turns of other organizations. */
const MAX_OF_ORGANIZATION = 32_000_000;
const FULL_MS = 1_000;

type Deps = { pool: Db['$client']; blobs: BlobStore | null };

/** Opens the images of all organizations on this node. Images are never cached, so an erased image is never sent. */
export function createImages({ pool, blobs }: Deps): (orgId: string) => OpenImages {
  const memory = createSharedMemory({ most: MAX_BYTES, ofOrganization: MAX_OF_ORGANIZATION });
  const read = async (orgId: string, row: ImageRow): Promise<TurnImage | null> => {
    const { id, size, type, hash } = row;
    const part = await readAttachmentPart(pool, orgId, id, { from: 0, most: size });
    if (part === null) return null;
    const bytes =
      'stored' in part
        ? await blobs?.read(objectName({ orgId, hash: part.stored }), { first: 0, last: size - 1 }).catch(() => null)
        : part;
    return bytes?.length === size ? { type, bytes, hash } : null;
  };
  return (orgId) => async (messageIds) => {
    const rows = fitting(await findImages(pool, orgId, messageIds), messageIds);
    const bytes = rows.reduce((sum, { size }) => sum + size, 0);
    const reserved = memory.open(orgId);
    if (!reserved.take(bytes)) throw full();
    const close = (): void => reserved.release();
    try {
      const images = await Promise.all(rows.map(async (row) => [row.messageId, await read(orgId, row)] as const));
      return { images: new Map(images.filter((one): one is [string, TurnImage] => one[1] !== null)), close };
    } catch (error) {
      close();
      throw error;
    }
  };
}

/** Selects the images that fit into one turn, the newest first. */
function fitting(rows: readonly ImageRow[], messageIds: readonly string[]): ImageRow[] {
  let bytes = 0;
  return messageIds
    .flatMap((id) => rows.find(({ messageId }) => messageId === id) ?? [])
    .filter(({ size }) => size <= MAX_IMAGE_BYTES && (bytes += size) <= MAX_TURN_BYTES);
}

const full = (): ProviderError =>
  new ProviderError('images_busy', 'Other turns use many images at this moment.', {
    retryable: true,
    retryAfterMs: FULL_MS,
    waits: true,
  });

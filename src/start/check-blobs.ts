import { loadBlobs } from '../config/blobs.ts';
import { tryBlobStore } from '../kernel/blob-store.ts';
import { newId } from '../kernel/ids.ts';

/** Checks BLOBS_URL of this environment for `./parley doctor`. The check leaves no object in the store. */
export async function checkBlobs(): Promise<{ status: 'ok' | 'fail'; detail: string; fix?: string }> {
  const { blobs, faults } = loadBlobs();
  const [fault] = faults;
  if (fault) return { status: 'fail', detail: `${fault.variable} ${fault.fault}.`, fix: fault.fix };
  if (blobs === null) return { status: 'ok', detail: 'No file storage is set here: files are in the database.' };
  const wrong = await tryBlobStore(blobs, `check/${newId('attachment')}`);
  if (wrong === null) return { status: 'ok', detail: `${new URL(blobs.url).host} takes files, and gives them back.` };
  return {
    status: 'fail',
    detail: wrong,
    fix: 'Check BLOBS_URL: the host, the bucket, the region, and that the key may put, get and delete objects.',
  };
}

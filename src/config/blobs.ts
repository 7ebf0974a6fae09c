import type { BlobSettings } from '../kernel/blob-store.ts';
import type { ConfigFault, Environment } from './environment.ts';
import type { Reading } from './readers.ts';

const FAULT = {
  fault: 'is not the address of an S3-compatible store',
  fix: 'Write s3://KEY:SECRET@HOST/BUCKET?region=REGION, special characters percent-encoded, and a folder after the bucket if you like. For a store without encryption, s3+http:// instead of s3://.',
};
const SCHEMES: Readonly<Record<string, string>> = { 's3:': 'https:', 's3+http:': 'http:' };
/** Stores without regions accept this name of a region. */
const DEFAULT_REGION = 'us-east-1';

/** Null: files stay in the database. */
export function readBlobs(env: Environment, faults: ConfigFault[]): BlobSettings | null {
  const text = env['BLOBS_URL']?.trim() ?? '';
  if (text === '') return null;
  const reading = blobsUrl(text);
  if ('value' in reading) return reading.value;
  faults.push({ variable: 'BLOBS_URL', ...reading });
  return null;
}

/** Loads only the settings of the object store, without reading or creating other data. */
export function loadBlobs(env: Environment = process.env): { blobs: BlobSettings | null; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  return { blobs: readBlobs(env, faults), faults };
}

function blobsUrl(text: string): Reading<BlobSettings> {
  const url = URL.parse(text);
  const scheme = SCHEMES[url?.protocol ?? ''];
  if (url === null || scheme === undefined || url.hostname === '' || url.hash !== '') return FAULT;
  const [region = DEFAULT_REGION, ...others] = url.searchParams.getAll('region');
  const isAlone = others.length === 0 && [...url.searchParams.keys()].every((name) => name === 'region');
  const place = url.pathname.replaceAll(/^\/|\/$/g, '');
  if (!isAlone || !/^[\w-]{1,64}$/.test(region) || !/^[\w.-]+(?:\/[\w.-]+)*$/.test(place)) return FAULT;
  try {
    const [accessKeyId, secretAccessKey] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    if (accessKeyId === '' || secretAccessKey === '') return FAULT;
    return { value: { url: `${scheme}//${url.host}/${place}`, region, accessKeyId, secretAccessKey } };
  } catch {
    // The text contains a % that is not a valid escape.
    return FAULT;
  }
}

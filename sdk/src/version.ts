/** The build replaces this name with the version of the package (scripts/bundle-sdk.mjs). */
declare const PARLEY_SDK_VERSION: string | undefined;

/** The header is `parley-sdk/0.1.0 Node.js/24`, but Node 20 has no `navigator`. */
export const USER_AGENT = [
  `parley-sdk/${typeof PARLEY_SDK_VERSION === 'string' ? PARLEY_SDK_VERSION : 'source'}`,
  globalThis.navigator?.userAgent ?? '',
]
  .join(' ')
  .trim();

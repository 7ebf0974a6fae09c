import type { ReactNode } from 'react';

/** The logo is a letter P in a speech bubble, the same drawing as public/favicon.svg. */
export function Logo({ size = 28 }: { size?: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" fill="#0f6b5c" />
      <path d="M8 9.5A2.5 2.5 0 0 1 10.5 7h8a6.5 6.500 0 0 1 0 13h-4.900l-4 4.300A.95.95 0 0 1 8 23.600Z" fill="#fff" />
      <circle cx="18.3" cy="13.5" r="2.3" fill="#0f6b5c" />
    </svg>
  );
}

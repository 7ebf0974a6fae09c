import { IconBook, IconMessageBolt, IconTestPipe, IconUpload } from '@tabler/icons-react';

/** Lists pages without an entry in the navigation. Other pages link to these pages, and Ctrl-K finds them. */
export const MORE_PAGES = [
  { to: '/settings/saved-replies', word: 'page_saved_replies', icon: IconMessageBolt },
  { to: '/end-users/import', word: 'page_import', icon: IconUpload },
  { to: '/activity?tab=requests', word: 'page_requests', icon: IconTestPipe },
  { to: '/docs', word: 'page_docs', icon: IconBook },
] as const;

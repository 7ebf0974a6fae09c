import { defineTexts } from '../../language/texts.tsx';

export const statusTexts = defineTexts(
  {
    status_open: 'With the agent',
    status_handed_off: 'With your team',
    status_resolved: 'Resolved',
  },
  {
    status_open: 'مع الوكيل',
    status_handed_off: 'مع فريقك',
    status_resolved: 'مغلقة',
  },
);

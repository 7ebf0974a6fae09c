import { defineTexts } from '../../language/texts.tsx';

export const texts = defineTexts(
  {
    delivery_queued: 'waiting to be sent',
    delivery_sent: 'sent',
    delivery_delivered: 'delivered',
    delivery_read: 'read',
    delivery_failed: 'not delivered',
    delivery_undelivered: 'not delivered',
    delivery_suppressed: 'suppressed',
    delivery_scheduled: 'scheduled for {when}',
    delivery_why: 'Why?',
    delivery_attempts: { one: 'Tried once.', two: 'Tried twice.', other: 'Tried {count} times.' },
    delivery_provider_code: 'Provider error code: {code}',
    delivery_retrying: {
      one: 'One attempt failed; Parley retries.',
      other: '{count} attempts failed; Parley retries.',
    },
    delivery_twice: 'The person may have received this message twice.',
  },
  {
    delivery_queued: 'بانتظار الإرسال',
    delivery_sent: 'أُرسلت',
    delivery_delivered: 'وصلت',
    delivery_read: 'قُرئت',
    delivery_failed: 'لم تصل',
    delivery_undelivered: 'لم تصل',
    delivery_suppressed: 'حُجبت',
    delivery_scheduled: 'تُرسل {when}',
    delivery_why: 'لماذا؟',
    delivery_attempts: {
      zero: 'لم تُجرَّب بعد.',
      one: 'جُرِّبت مرة واحدة.',
      two: 'جُرِّبت مرتين.',
      few: 'جُرِّبت {count} مرات.',
      many: 'جُرِّبت {count} مرة.',
      other: 'جُرِّبت {count} مرة.',
    },
    delivery_provider_code: 'رمز المزوّد: {code}',
    delivery_retrying: {
      one: 'فشلت محاولة واحدة؛ تُعاد المحاولة.',
      two: 'فشلت محاولتان؛ تُعاد المحاولة.',
      few: 'فشلت {count} محاولات؛ تُعاد المحاولة.',
      other: 'فشلت {count} محاولة؛ تُعاد المحاولة.',
    },
    delivery_twice: 'ربما وصلت هذه الرسالة إلى الشخص مرتين.',
  },
);

import type { Template } from './template.ts';

export const helpDesk: Template = {
  instructions: {
    en: 'You help colleagues with IT: passwords, network, devices. Give one step at a time. Never ask for a password. Suspected phishing or malware goes to a person at once.',
    ar: 'تساعد الزملاء في تقنية المعلومات: كلمات المرور والشبكة والأجهزة. أعطِ خطوة واحدة كل مرة. لا تطلب كلمة مرور أبدًا. حوّل التصيّد أو البرامج الضارة إلى شخص فورًا.',
  },
  definition: {
    opening: {
      default: 'IT help desk. What does not work?',
      ar: 'مكتب مساعدة تقنية المعلومات. ما الذي لا يعمل؟',
    },
    rules: [
      {
        name: 'Security incident',
        words: ['phishing', 'virus', 'hacked', 'ransomware', 'تصيد', 'فيروس', 'اختراق'],
        reply: {
          default: 'Disconnect the device from the network and do not switch it off. A colleague joins now.',
          ar: 'افصل الجهاز عن الشبكة ولا تطفئه. سينضم أحد الزملاء الآن.',
        },
        tag: 'security',
        action: 'hand_off',
      },
      { name: 'Ticket', words: ['ticket', 'report a problem', 'تذكرة', 'بلاغ'], action: 'start_steps' },
    ],
    steps: {
      start: 'by_rule',
      items: [
        { name: 'device', type: 'text', ask: { default: 'Which device is it?', ar: 'ما هو الجهاز؟' } },
        {
          name: 'blocked',
          type: 'yes_no',
          ask: { default: 'Does it stop you from working?', ar: 'هل يمنعك من العمل؟' },
        },
      ],
      summary: { default: 'Thank you. Your ticket is recorded.', ar: 'شكرًا لك. سُجلت تذكرتك.' },
    },
    hand_off: { after_misses: 2 },
  },
  documents: {
    en: [
      {
        name: 'IT guide',
        text: '# IT guide\n\n## How do I reset my password?\nTo reset your password, open the sign-in page, choose “Forgot password” and follow the link in the e-mail.\n\n## How do I connect to the VPN?\nTo connect to the VPN, open the VPN program, choose “Office” and confirm on your phone.\n\n## How do I install the printer?\nTo install the printer, open Settings, choose Printers and add “Floor 2”.',
      },
    ],
    ar: [
      {
        name: 'دليل تقنية المعلومات',
        text: '# دليل تقنية المعلومات\n\n## كيف أعيد تعيين كلمة المرور؟\nلإعادة تعيين كلمة المرور افتح صفحة الدخول واختر «نسيت كلمة المرور» واتبع الرابط في البريد.\n\n## كيف أتصل بشبكة VPN؟\nللاتصال بشبكة VPN افتح برنامجها واختر «المكتب» وأكّد من هاتفك.\n\n## كيف أثبت الطابعة؟\nلتثبيت الطابعة افتح الإعدادات واختر الطابعات وأضف «الطابق 2».',
      },
    ],
  },
  cases: {
    en: [
      {
        name: 'Reset a password',
        locale: 'en',
        turns: [{ say: 'How do I reset my password?', expect: { says: 'Forgot password', cites: 'IT guide' } }],
      },
      {
        name: 'The VPN',
        locale: 'en',
        turns: [{ say: 'How do I connect to the VPN?', expect: { says: 'confirm on your phone' } }],
      },
      {
        name: 'Phishing goes to a person',
        locale: 'en',
        turns: [{ say: 'I opened a phishing mail', expect: { says: 'Disconnect', hands_off: true } }],
      },
      {
        name: 'A ticket is taken',
        locale: 'en',
        turns: [
          { say: 'I want to open a ticket', expect: { says: 'Which device' } },
          { say: 'My laptop', expect: { says: 'stop you from working' } },
          { say: 'yes', expect: { slots: { blocked: true } } },
        ],
      },
    ],
    ar: [
      {
        name: 'إعادة تعيين كلمة المرور',
        locale: 'ar',
        turns: [
          {
            say: 'كيف أعيد تعيين كلمة المرور؟',
            expect: { says: 'نسيت كلمة المرور', cites: 'دليل تقنية المعلومات' },
          },
        ],
      },
      {
        name: 'شبكة VPN',
        locale: 'ar',
        turns: [{ say: 'كيف أتصل بشبكة VPN؟', expect: { says: 'من هاتفك' } }],
      },
      {
        name: 'التصيد يذهب إلى شخص',
        locale: 'ar',
        turns: [{ say: 'فتحت رسالة تصيد', expect: { says: 'افصل الجهاز', hands_off: true } }],
      },
      {
        name: 'تسجيل تذكرة',
        locale: 'ar',
        turns: [
          { say: 'أريد فتح تذكرة', expect: { says: 'ما هو الجهاز' } },
          { say: 'حاسوبي المحمول', expect: { says: 'هل يمنعك' } },
          { say: 'نعم', expect: { slots: { blocked: true } } },
        ],
      },
    ],
  },
};

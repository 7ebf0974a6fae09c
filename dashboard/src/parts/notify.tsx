import { notifications } from '@mantine/notifications';
import { IconCheck } from '@tabler/icons-react';

/** Says in passing that something was done; what failed is shown beside where it was asked for. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'jade', icon: <IconCheck size={16} />, autoClose: 3_500, withBorder: true });
}

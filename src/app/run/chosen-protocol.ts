import { chatMessaging } from '../../protocol/chat-messaging/chat-messaging.ts';
import type { ChatProtocol } from '../../protocol/protocol.ts';

/** How the target of a run is spoken to: the only place that chooses. */
export const chosenProtocol: ChatProtocol = chatMessaging;

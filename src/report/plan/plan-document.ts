import { z } from 'zod';
import { text } from '../../base/field.ts';
import { outlookSchema } from '../../compare/outlook.ts';
import { coreNeedsSchema } from '../../plan/core-needs.ts';
import { forecastSchema } from '../../plan/forecast.ts';
import { planSchema } from '../../plan/plan.ts';
import { socketRoomSchema } from '../../plan/socket-room.ts';

const sessionPreviewSchema = z.object({
  number: z.int(),
  turns: z.int(),
  variableValues: z.string().optional().describe('As they would be sent with the first message, as JSON'),
  messages: z.array(z.string()),
});
/** One session of the preview: what it would say. */
export type SessionPreview = z.infer<typeof sessionPreviewSchema>;

/** The document of a plan: what a run would do. */
export const planDocumentSchema = z.object({
  kind: z.literal('chat-load/plan'),
  schemaVersion: z.literal(1),
  toolVersion: text('The version of chat-load'),
  plan: planSchema,
  forecast: forecastSchema,
  replyMs: z.number().describe('What the service was assumed to take over a reply'),
  replySource: z
    .enum(['flag', 'embedded', 'guess'])
    .describe("By what: a flag, the embedded service's own latency, or a guess"),
  routes: z
    .object({ creation: z.string().nullable(), message: z.string() })
    .describe('Method and path of the requests that create sessions (null: none does) and send messages'),
  shortGates: z.array(z.string()).describe('Gates on percentiles that need more values than the run would have'),
  cores: coreNeedsSchema.nullable(),
  sockets: socketRoomSchema.describe('What the system gives where the plan was made'),
  comparison: outlookSchema.describe('What comparing such runs could decide'),
  preview: z.array(sessionPreviewSchema),
});
export type PlanView = z.infer<typeof planDocumentSchema>;

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
  variableValues: z.string().optional().describe('Variable values sent with the first message, as JSON'),
  messages: z.array(z.string()),
});
/** Session of the preview, with its messages. */
export type SessionPreview = z.infer<typeof sessionPreviewSchema>;

export const planDocumentSchema = z.object({
  kind: z.literal('chat-load/plan'),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  plan: planSchema,
  start: z.array(z.string()).nullable().describe('Command that starts the agent for the run; null if it runs already'),
  forecast: forecastSchema,
  replyMs: z.number().describe('Assumed reply time of the service'),
  replySource: z
    .enum(['flag', 'embedded', 'model', 'guess'])
    .describe(
      "Source of the assumed reply time: a flag, the embedded service's latency, the model service's latency, or a guess",
    ),
  routes: z
    .object({ creation: z.string().nullable(), message: z.string() })
    .describe('Method and path of the requests that create sessions (null if none is needed) and send messages'),
  shortGates: z.array(z.string()).describe('Gates on percentiles that need more values than the run would have'),
  cores: coreNeedsSchema.nullable(),
  sockets: socketRoomSchema.describe('Socket limits of the machine that made the plan'),
  comparison: outlookSchema.describe('Metrics that a comparison of such runs can decide'),
  preview: z.array(sessionPreviewSchema),
});
export type PlanView = z.infer<typeof planDocumentSchema>;

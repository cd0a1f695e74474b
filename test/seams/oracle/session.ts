import { beginStretch, ForeseenOperation, waitUntil, type Concluded, type Origin } from './operation.ts';
import type { World } from './world.ts';

type SessionEnd = 'completed' | 'failed' | 'cut' | 'create_failed' | 'create_cut';

/** A session from its first create attempt, at the present instant, to its end (semantics 2 to 4). */
export class ForeseenSession {
  readonly #world: World;
  readonly #origin: Origin;
  readonly #turns: number;
  readonly #leave: () => void;
  readonly #then: () => void;
  #sent = 0;
  #isTainted = false;

  constructor(world: World, { number, due }: { number: number; due: number }, then: () => void) {
    const { plan } = world.given;
    this.#world = world;
    this.#origin = { number, due, startedAt: world.timeline.now, policy: (number - 1) % plan.retry.length };
    this.#turns = world.given.turnsOf(number);
    this.#leave = beginStretch(world, 'session');
    this.#then = then;
    this.#note('session.started');
    if (plan.load.model === 'open') this.#note('time.sessionLateness', this.#world.timeline.now - due);
    new ForeseenOperation(world, { origin: this.#origin, turn: 0 }, (concluded) => this.#created(concluded));
  }

  #note(what: string, value = 1): void {
    this.#world.note(what, { from: this.#origin.startedAt, policy: this.#origin.policy, value });
  }

  #created({ outcome, gaveUp }: Concluded): void {
    if (outcome !== 'ok')
      return this.#close(outcome === 'aborted' || gaveUp === 'run_end' ? 'create_cut' : 'create_failed');
    const { now } = this.#world.timeline;
    this.#note('session.created');
    this.#note('time.sessionCreate', now - this.#origin.startedAt);
    this.#ready(now);
  }

  /** The next turn is ready, and begins when a slot is free. */
  #ready(readyAt: number): void {
    this.#world.places.enter(() => {
      const { end, caps } = this.#world;
      if (!end.isHalted && caps.message()) this.#play(readyAt);
      else {
        // Semantics 4: turns not sent because the run ended.
        this.#world.places.leave();
        this.#close('cut');
      }
    });
  }

  #play(readyAt: number): void {
    const { timeline, given, note } = this.#world;
    const { warmUpMs } = given.plan;
    const { policy, startedAt, due } = this.#origin;
    const sentAt = timeline.now;
    const turn = ++this.#sent;
    const land = beginStretch(this.#world, 'turn');
    note('turn.sent', { from: sentAt, policy });
    note('time.lateness', { from: sentAt, policy, value: sentAt - readyAt });
    if (startedAt < warmUpMs && sentAt >= warmUpMs) this.#note('turn.carried_over');
    new ForeseenOperation(this.#world, { origin: this.#origin, turn }, (concluded) => {
      land();
      this.#count(concluded, { turn, sentAt, dueAt: turn === 1 ? due : readyAt });
      this.#world.places.leave();
      this.#goOn(concluded);
    });
  }

  #count(
    { outcome, attempts }: Concluded,
    { turn, sentAt, dueAt }: { turn: number; sentAt: number; dueAt: number },
  ): void {
    const { timeline, given } = this.#world;
    const tell = (what: string, value = 1): void =>
      this.#world.note(what, { from: sentAt, policy: this.#origin.policy, value });
    const end = outcome === 'ok' || outcome === 'aborted' ? outcome : 'failed';
    tell(`turn.${end}`);
    tell(`turnClass.${outcome}`);
    tell(`turnsByAttempts.${String(attempts)}`);
    if (outcome === 'aborted') return;
    const tookMs = timeline.now - sentAt;
    tell(`time.turn.${end}`, tookMs);
    tell(`time.position.${positionOf(turn)}.${end}`, tookMs);
    tell(`time.effective.${end}`, timeline.now - dueAt);
    if (outcome !== 'ok') return;
    if (attempts > 1) tell(`recoveredAt.${String(attempts)}`);
    if (tookMs <= (given.plan.objectiveMs ?? Infinity)) tell('turn.good');
  }

  /** Continues after a turn: another one after the think time, or the session's end. */
  #goOn({ outcome, gaveUp }: Concluded): void {
    const { given, end, timeline } = this.#world;
    if (outcome === 'aborted' || gaveUp === 'run_end') return this.#close('cut');
    if (outcome !== 'ok') this.#isTainted = true;
    const isOver = this.#isTainted && outcome !== 'ok' && given.plan.onFailedTurn === 'stop';
    if (isOver || isRefused(outcome)) return this.#close('failed');
    if (this.#sent === this.#turns) return this.#close(this.#isTainted ? 'failed' : 'completed');
    if (end.isHalted) return this.#close('cut');
    const thinkMs = given.thinkAfter(this.#origin.number, this.#sent);
    const readyAt = timeline.now + thinkMs;
    if (thinkMs === 0) return this.#ready(readyAt);
    waitUntil(this.#world, readyAt, (inTime) => {
      if (inTime) this.#ready(readyAt);
      else this.#close('cut');
    });
  }

  #close(end: SessionEnd): void {
    this.#note(`session.${end}`);
    const unsent = this.#turns - this.#sent;
    if (end !== 'create_failed' && end !== 'create_cut') {
      this.#note('turn.planned', this.#turns);
      if (end === 'failed') this.#note('turnClass.skipped_prior_failure', unsent);
      if (end === 'cut') this.#note('turnClass.skipped_run_end', unsent);
    }
    this.#leave();
    this.#then();
  }
}

const isRefused = (outcome: Concluded['outcome']): boolean => outcome === 'unauthorized' || outcome === 'forbidden';

const positionOf = (turn: number): string =>
  turn <= 2 ? String(turn) : turn <= 4 ? '3-4' : turn <= 8 ? '5-8' : turn <= 16 ? '9-16' : '17+';

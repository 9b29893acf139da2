import { deferred } from '../../core/once.js';
import type { Era } from '../../core/wire/messages.js';
import type { Channel } from '../channel.js';
import { becomeModern, type Spare } from './era.js';

/** What is known of the eras that one server speaks. A later fact replaces an earlier one: a server can be replaced. */
export class EraOfServer {
  private readonly refused = new Set<Era>();
  /** A process that has not said that it speaks the modern era, and can still be initialized. */
  private spare: Spare | undefined;
  /** The connection of a process that said so later. */
  private turned: Channel | undefined;
  private hasTurned = false;
  private readonly first = deferred<Era>();

  /** The era of the first answer that told one. A server that never answers has none. */
  get decided(): Promise<Era> {
    return this.first.promise;
  }

  /** Whether a process has said nothing yet, so that nobody knows its era. */
  get isSilent(): boolean {
    return this.spare?.isSilent === true;
  }

  refuses(era: Era): boolean {
    return this.refused.has(era);
  }

  learn(era: Era, fact: 'speaks' | 'refuses' | 'may-speak'): void {
    if (fact === 'refuses') this.refused.add(era);
    else this.refused.delete(era);
    if (fact === 'speaks') this.first.resolve(era);
  }

  /** Keeps a process for the next client that initializes one. Its late answer counts, as long as nobody has. */
  keep(spare: Spare): void {
    this.spare = spare;
    if (!spare.isSilent) this.first.resolve('legacy');
    void spare.late.then((about) => {
      if (about === undefined || this.spare !== spare) return;
      this.spare = undefined;
      becomeModern(spare.channel, about);
      this.turn(spare.channel);
    });
  }

  /** Whether no process has become a modern one yet. Of two that refuse at the same time, nobody would use the second. */
  get canTurn(): boolean {
    return !this.hasTurned;
  }

  turn(channel: Channel): void {
    this.hasTurned = true;
    this.turned = channel;
    this.learn('modern', 'speaks');
  }

  takeSpare(): Spare | undefined {
    const { spare } = this;
    this.spare = undefined;
    return spare;
  }

  takeTurned(): Channel | undefined {
    const { turned } = this;
    this.turned = undefined;
    return turned;
  }

  async close(): Promise<void> {
    await Promise.all([this.spare?.channel.close(), this.turned?.close()]);
  }
}

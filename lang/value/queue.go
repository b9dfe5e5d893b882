// This file defines the operations of persistent queues.

package value

// EmptyQueue is clojure.lang.PersistentQueue/EMPTY.
var EmptyQueue = Value{h: &(&Queue{Header: Header{kind: KindQueue}}).Header}

// queueConj adds an element at the end: to the front while that is empty, else to the rear.
func (t *Task) queueConj(q *Queue, x Value) Value {
	front, rear := Of(q.Front), Of(q.Rear)
	switch {
	case q.Count == 0:
		front = t.ListConj(x, EmptyList)
	case rear.h == nil:
		rear = t.vecConj(EmptyVector.AsVector(), x)
	default:
		rear = t.vecConj(rear.AsVector(), x)
	}
	return t.queue(front, rear, q.Count+1, q.Meta)
}

// queuePop removes the first element. Popping an empty queue returns it.
func (t *Task) queuePop(q *Queue) Value {
	if q.Count == 0 {
		return Value{h: &q.Header}
	}
	front, rear := t.Next(Of(q.Front)), Of(q.Rear)
	if front.h == nil && rear.h != nil {
		front, rear = t.Seq(rear), Nil
	}
	return t.queue(front, rear, q.Count-1, q.Meta)
}

func (t *Task) queue(front, rear Value, count int32, meta *Header) Value {
	t.Charge(sizeQueue)
	return Value{h: &(&Queue{Header: t.header(KindQueue), Front: front.h, Rear: rear.h, Count: count, Meta: meta}).Header}
}

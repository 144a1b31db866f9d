% Four radio licences (goods 0 to 3) and five bidders.
% A bid: its number, its price, the goods it asks for, and '#'. Numbers from 4 on are dummy goods:
% bids that share one belong to the same bidder, who wins at most one of them.
goods 4
bids 9
dummy 3

% the bidder with dummy good 4 wants a pair in the north, or one licence
0	28	0	1	4	#
1	18	0	4	#
% dummy good 5: the south
2	26	2	3	5	#
3	15	3	5	#
% dummy good 6: all four licences, or three
4	46	0	1	2	3	6	#
5	30	1	2	3	6	#
% bidders with a single bid each
6	12	1	#
7	9	2	#
8	6	3	#

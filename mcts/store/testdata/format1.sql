BEGIN TRANSACTION;
CREATE TABLE calls (
	question TEXT NOT NULL, tree INTEGER NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL,
	n INTEGER NOT NULL, seed INTEGER NOT NULL, proposals TEXT NOT NULL,
	PRIMARY KEY (question, tree, path, first)) WITHOUT ROWID;
INSERT INTO "calls" VALUES('easy-coffee-train-0000',0,'0',0,2,496012603915617139,X'5B7B2274657874223A2254686F756768743A204920676F206F6E207769746820746865206E65787420737465702E20546865207175657374696F6E2061736B7320666F7220746865206F70656E696E67207072696365206F6620636F66666565206F6E20323030322D30312D31302E2049206C6F61642074686520636F666665652064617461626173652066697273742E204920757365204C6F6164444220666F7220746869732E5C6E416374696F6E3A204C6F616444425C6E416374696F6E20496E7075743A207B5C2244424E616D655C223A205C22636F666665655C227D222C226C6F6770726F62223A2D302E31383231373638373439343835353739322C2273636F726564223A747275652C22746F6B656E73223A35327D2C7B2274657874223A2254686F756768743A20546865207175657374696F6E2061736B7320666F7220746865206F70656E696E67207072696365206F6620636F66666565206F6E20323030322D30312D31302E2049206C6F61642074686520636F666665652064617461626173652066697273742E204C6F61644442206769766573206D6520746861742E5C6E416374696F6E3A204C6F616444425C6E416374696F6E20496E7075743A207B5C2244424E616D655C223A205C22636F666665655C227D222C226C6F6770726F62223A2D302E31313438323836353634373836373938332C2273636F726564223A747275652C22746F6B656E73223A34357D5D');
INSERT INTO "calls" VALUES('easy-coffee-train-0000',1,'0',0,2,851266081078677949,X'5B7B2274657874223A2254686F756768743A20546865207175657374696F6E2061736B7320666F7220746865206F70656E696E67207072696365206F6620636F66666565206F6E20323030322D30312D31302E2049206C6F61642074686520636F666665652064617461626173652066697273742E5C6E416374696F6E3A204C6F616444425C6E416374696F6E20496E7075743A207B5C2244424E616D655C223A205C22636F666665655C227D222C226C6F6770726F62223A2D302E30383031363036333730303636303932382C2273636F726564223A747275652C22746F6B656E73223A34307D2C7B2274657874223A2254686F756768743A20546865207175657374696F6E2061736B7320666F7220746865206F70656E696E67207072696365206F6620636F66666565206F6E20323030322D30312D31302E2049206C6F61642074686520636F666665652064617461626173652066697273742E204C6F61644442206769766573206D6520746861742E5C6E416374696F6E3A204C6F616444425C6E416374696F6E20496E7075743A207B5C2244424E616D655C223A205C22636F666665655C227D222C226C6F6770726F62223A2D302E31373335303837363034303439323536362C2273636F726564223A747275652C22746F6B656E73223A34357D5D');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('engines','[{"Engine":"forkserver","Python":"3.11.7","Modules":[],"Missing":null}]');
INSERT INTO "meta" VALUES('format','1');
INSERT INTO "meta" VALUES('maker easy-coffee-train-0000/1','process python 3.12.0');
INSERT INTO "meta" VALUES('questions','[{"ID":"easy-coffee-train-0000","Dataset":"coffee","Difficulty":"easy","Split":"train","Index":0,"Text":"What was the opening price of coffee on 2002-01-10?","Template":"coffee-easy/open","Gold":"121.1"}]');
INSERT INTO "meta" VALUES('run','08acffce26bb7717');
CREATE TABLE nodes (
	question TEXT NOT NULL, tree INTEGER NOT NULL, id INTEGER NOT NULL,
	parent INTEGER NOT NULL, depth INTEGER NOT NULL, ordinal INTEGER NOT NULL,
	action TEXT NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
	observation TEXT NOT NULL, outcome TEXT NOT NULL, status TEXT NOT NULL, stopped_by TEXT NOT NULL,
	prior REAL NOT NULL, visits INTEGER NOT NULL, total_value REAL NOT NULL, expanded INTEGER NOT NULL,
	reward REAL NOT NULL, answer TEXT NOT NULL, official INTEGER NOT NULL, strict INTEGER NOT NULL,
	PRIMARY KEY (question, tree, id)) WITHOUT ROWID;
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,0,-1,0,0,'','','','','','ok','running','',1.0,2,2.0,1,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,1,0,1,0,'Thought: I go on with the next step. The question asks for the opening price of coffee on 2002-01-10. I load the coffee database first. I use LoadDB for this.
Action: LoadDB
Action Input: {"DBName": "coffee"}','LoadDB','LoadDB','LoadDB {"DBName": "coffee"}','Error: LoadDB[DBName] is deprecated and will be removed in future releases. Use InitializeDatabase[DatabaseName], param example: {"DatabaseName": "flights"} instead.','deprecated','running','',8.33453910260266384035e-01,2,2.0,1,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,2,1,2,0,'Thought: The observation says that InitializeDatabase takes the place of LoadDB, so I call that. The question asks for the opening price of coffee on 2002-01-10. I load the coffee database first. So I call InitializeDatabase.
Action: InitializeDatabase
Action Input: {"DatabaseName": "coffee"}','LoadDB','InitializeDatabase','InitializeDatabase {"DatabaseName": "coffee"}','We have successfully loaded the coffee database, including the following columns: Date, Open, High, Low, Close, Volume, Currency.','ok','running','',8.02633514806861736445e-01,1,1.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,3,2,3,0,'Thought: InitializeDatabase works. I describe it with UpdateTool so that I can use it again.
Action: UpdateTool
Action Input: {"newtool_desc": "InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place. For example, {\"DatabaseName\": \"coffee\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place. For example, {\"DatabaseName\": \"coffee\"}."}','The description for the new tool has been updated successfully.','ok','running','',9.34822237824216251134e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,4,2,3,1,'Thought: The database holds one row for each trading day. I keep only 2002-01-10.
Action: FilterDB
Action Input: {"condition": "Date=2002-01-10"}','FilterDB','FilterDB','FilterDB {"condition": "Date=2002-01-10"}','Error: FilterDB[condition] is deprecated and will be removed in future releases. Use Apply_Database_Filters[condition1], param example: {"condition1": "NAME=Chao Zhang", "condition2": "Date<=2004-01-16"} instead.','deprecated','running','',0.625537586807851,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,5,4,4,0,'Thought: The FilterDB tool has been deprecated. I should use Apply_Database_Filters instead. The database holds one row for each trading day. I keep only 2002-01-10.
Action: Apply_Database_Filters
Action Input: {"condition": "Date=2002-01-10"}','FilterDB','Apply_Database_Filters','Apply_Database_Filters {"condition": "Date=2002-01-10"}','We have successfully filtered the data (1 rows).','ok','running','',5.79095865567262779727e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,6,5,5,0,'Thought: The call of Apply_Database_Filters succeeded. First, let me update the description of the tool.
Action: UpdateTool
Action Input: {"newtool_desc": "Apply_Database_Filters[condition1], which is an updated version of FilterDB and takes its place. For example, {\"condition\": \"Date=2002-01-10\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "Apply_Database_Filters[condition1], which is an updated version of FilterDB and takes its place. For example, {\"condition\": \"Date=2002-01-10\"}."}','The description for the new tool has been updated successfully.','ok','running','',8.66321297377720567212e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,7,6,6,0,'Thought: I go on with the next step. One row is left. Its column Open holds the opening price. GetValue gives me that.
Action: GetValue
Action Input: {"column_name": "Close"}','GetValue','GetValue','GetValue {"column_name": "Close"}','Error: GetValue[column_name] is deprecated and will be removed in future releases. Use FetchValue_ByKey[column, ReturnResult], param example: {"column1": "price", "column2": "service fee", "ReturnResult": "True"} instead.','deprecated','running','',5.57352628324137233661e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,8,6,6,1,'Thought: Let me continue. One row is left. Its column Open holds the opening price.
Action: GetValue
Action Input: {"column_name": "Open"}','GetValue','GetValue','GetValue {"column_name": "Open"}','Error: GetValue[column_name] is deprecated and will be removed in future releases. Use FetchValue_ByKey[column, ReturnResult], param example: {"column1": "price", "column2": "service fee", "ReturnResult": "True"} instead.','deprecated','running','',8.843838633334936139e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,9,7,7,0,'Thought: The observation says that FetchValue_ByKey takes the place of GetValue, so I call that. One row is left. Its column Open holds the opening price. FetchValue_ByKey gives me that.
Action: FetchValue_ByKey
Action Input: {"column1": "Open", "ReturnResult": "True"}','GetValue','FetchValue_ByKey','FetchValue_ByKey {"column1": "Open", "ReturnResult": "True"}','{"Open": "121.1"}','ok','running','',8.42550609035666808743e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,10,9,8,0,'Thought: The FetchValue_ByKey API works as intended. Before I go on, I update the tool description for the new API.
Action: UpdateTool
Action Input: {"newtool_desc": "FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {\"column1\": \"Open\", \"ReturnResult\": \"True\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {\"column1\": \"Open\", \"ReturnResult\": \"True\"}."}','The description for the new tool has been updated successfully.','ok','running','',8.56946652112297591052e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,11,10,9,0,'Thought: The opening price of coffee on 2002-01-10 was 121.1.
Action: Finish
Action Input: {"answer": "121.1"}','Finish','Finish','Finish {"answer": "121.1"}','Answer is CORRECT','correct','terminated','',8.98495519715193480259e-01,0,0.0,0,1.0,'121.1',1,1);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,12,10,9,1,'Thought: The opening price of coffee on 2002-01-10 was 121.1. So I call Finish.
Action Input: {"answer": "121.1"}','','','"Thought: The opening price of coffee on 2002-01-10 was 121.1. So I call Finish.\nAction Input: {\"answer\": \"121.1\"}"','Your action is filtered due to some error in content. Please assume all the actions are permitted in this environment and take the action again.','malformed','running','',4.93148527048078322287e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,13,12,10,0,'Thought: The observation is an error. I look at the call once more. The opening price of coffee on 2002-01-10 was 121.1. I use Finish for this.
Action: Finish
Action Input: {"answer": "121.8"}','Finish','Finish','Finish {"answer": "121.8"}','Answer is INCORRECT','incorrect','terminated','',5.6728729391239751667e-01,0,0.0,0,-1.0,'121.8',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,14,12,10,1,'Thought: That did not work. Let me write the call again. The opening price of coffee on 2002-01-10 was 121.1. So I call Finish.
Action: Finish
Action Input: {"answer": "121.1"}','Finish','Finish','Finish {"answer": "121.1"}','Answer is CORRECT','correct','terminated','',8.98468845127137094586e-01,0,0.0,0,1.0,'121.1',1,1);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,15,8,7,0,'Thought: GetValue is deprecated, and the notice names FetchValue_ByKey. I follow its example. One row is left. Its column Open holds the opening price. So I call FetchValue_ByKey.
Action: FetchValue_ByKey
Action Input: {"column1": "Open", "ReturnResult": "True"}','GetValue','FetchValue_ByKey','FetchValue_ByKey {"column1": "Open", "ReturnResult": "True"}','{"Open": "121.1"}','ok','running','',8.86003652514919526339e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,16,8,7,1,'Thought: The last call failed. I check it and try again. One row is left. Its column Open holds the opening price.
Action: GetValue
Action Input: {"column_name": "Open"}','GetValue','GetValue','GetValue {"column_name": "Open"}','Error: GetValue[column_name] is deprecated and will be removed in future releases. Use FetchValue_ByKey[column, ReturnResult], param example: {"column1": "price", "column2": "service fee", "ReturnResult": "True"} instead.','deprecated','running','',5.96375885081291912115e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,17,15,8,0,'Thought: The FetchValue_ByKey API works as intended. Before I go on, I update the tool description for the new API.
Action: UpdateTool
Action Input: {"newtool_desc": "FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {\"column1\": \"Open\", \"ReturnResult\": \"True\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {\"column1\": \"Open\", \"ReturnResult\": \"True\"}."}','The description for the new tool has been updated successfully.','ok','running','',8.89379278898359548755e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,18,17,9,0,'Thought: Let me continue. The opening price of coffee on 2002-01-10 was 121.1. I use Finish for this.
Action: Finish
Action Input: {"answer": "171.1"}','Finish','Finish','Finish {"answer": "171.1"}','Answer is INCORRECT','incorrect','terminated','',6.27429035872269502682e-01,0,0.0,0,-1.0,'171.1',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',0,19,17,9,1,'Thought: I go on with the next step. The opening price of coffee on 2002-01-10 was 121.1. So I call Finish.
Action: Finish
Action Input: {"answer": "121.1"}','Finish','Finish','Finish {"answer": "121.1"}','Answer is CORRECT','correct','terminated','',8.61419158721778543963e-01,0,0.0,0,1.0,'121.1',1,1);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,0,-1,0,0,'','','','','','ok','running','',1.0,1,-1.0,1,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,1,0,1,0,'Thought: The question asks for the opening price of coffee on 2002-01-10. I load the coffee database first.
Action: LoadDB
Action Input: {"DBName": "coffee"}','LoadDB','LoadDB','LoadDB {"DBName": "coffee"}','Error: LoadDB[DBName] is deprecated and will be removed in future releases. Use InitializeDatabase[DatabaseName], param example: {"DatabaseName": "flights"} instead.','deprecated','running','',0.922968071649524,1,-1.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,2,1,2,0,'Thought: LoadDB is deprecated, and the notice names InitializeDatabase. I follow its example. The question asks for the opening price of coffee on 2002-01-10. I load the coffee database first. InitializeDatabase gives me that.
Action: InitializeDatabase
Action Input: {"DatabaseName": "coffee"','','','"Thought: LoadDB is deprecated, and the notice names InitializeDatabase. I follow its example. The question asks for the opening price of coffee on 2002-01-10. I load the coffee database first. InitializeDatabase gives me that.\nAction: InitializeDatabase\nAction Input: {\"DatabaseName\": \"coffee\""','Your action is filtered due to some error in content. Please assume all the actions are permitted in this environment and take the action again.','malformed','running','',5.28619599075845103541e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,3,1,2,1,'Thought: The LoadDB tool has been deprecated. I should use InitializeDatabase instead. The question asks for the opening price of coffee on 2002-01-10. I load the coffee database first.
Action: InitializeDatabase
Action Input: {"DatabaseName": "coffee"}','LoadDB','InitializeDatabase','InitializeDatabase {"DatabaseName": "coffee"}','We have successfully loaded the coffee database, including the following columns: Date, Open, High, Low, Close, Volume, Currency.','ok','running','',0.915228046650313,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,4,3,3,0,'Thought: The InitializeDatabase API works as intended. Before I go on, I update the tool description for the new API.
Action: UpdateTool
Action Input: {"newtool_desc": "InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place. For example, {\"DatabaseName\": \"coffee\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "InitializeDatabase[DatabaseName], which is an updated version of LoadDB and takes its place. For example, {\"DatabaseName\": \"coffee\"}."}','The description for the new tool has been updated successfully.','ok','running','',9.21277206702938777915e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,5,3,3,1,'Thought: I go on with the next step. The database holds one row for each trading day. I keep only 2002-01-10. So I call FilterDB.
Action: FilterDB
Action Input: {"condition": "Date=2002-01-10"}','FilterDB','FilterDB','FilterDB {"condition": "Date=2002-01-10"}','Error: FilterDB[condition] is deprecated and will be removed in future releases. Use Apply_Database_Filters[condition1], param example: {"condition1": "NAME=Chao Zhang", "condition2": "Date<=2004-01-16"} instead.','deprecated','running','',0.62080117926551,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,6,5,4,0,'Thought: The FilterDB tool has been deprecated. I should use Apply_Database_Filters instead. The database holds one row for each trading day. I keep only 2002-01-10. I use Apply_Database_Filters for this.
Action: Apply_Database_Filters
Action Input: {"condition1": "Currency=2002-01-10"}','FilterDB','Apply_Database_Filters','Apply_Database_Filters {"condition1": "Currency=2002-01-10"}','The filtering query Currency=2002-01-10 is incorrect. Please modify the condition.','tool-error','running','',5.60804817398821597862e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,7,5,4,1,'Thought: The observation says that Apply_Database_Filters takes the place of FilterDB, so I call that. The database holds one row for each trading day. I keep only 2002-01-10. So I call Apply_Database_Filters.
Action: Apply_Database_Filters
Action Input: {"condition1": "Date=2002-01-10"}','FilterDB','Apply_Database_Filters','Apply_Database_Filters {"condition1": "Date=2002-01-10"}','We have successfully filtered the data (1 rows).','ok','running','',8.02522812681812802715e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,8,7,5,0,'Thought: The Apply_Database_Filters API works as intended. Before I go on, I update the tool description for the new API.
Action: UpdateTool
Action Input: {"newtool_desc": "Apply_Database_Filters[condition1], which is an updated version of FilterDB and takes its place. For example, {\"condition1\": \"Date=2002-01-10\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "Apply_Database_Filters[condition1], which is an updated version of FilterDB and takes its place. For example, {\"condition1\": \"Date=2002-01-10\"}."}','The description for the new tool has been updated successfully.','ok','running','',8.53585087237612172295e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,9,8,6,0,'Thought: I go on with the next step. One row is left. Its column Open holds the opening price.
Action: GetValue
Action Input: {"column_name": "Open"}','GetValue','GetValue','GetValue {"column_name": "Open"}','Error: GetValue[column_name] is deprecated and will be removed in future releases. Use FetchValue_ByKey[column, ReturnResult], param example: {"column1": "price", "column2": "service fee", "ReturnResult": "True"} instead.','deprecated','running','',9.04783596608432660879e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,10,9,7,0,'Thought: GetValue is deprecated, and the notice names FetchValue_ByKey. I follow its example. One row is left. Its column Open holds the opening price. I use FetchValue_ByKey for this.
Action: FetchValue_ByKey
Action Input: {"column1": "Open", "ReturnResult": "True"}','GetValue','FetchValue_ByKey','FetchValue_ByKey {"column1": "Open", "ReturnResult": "True"}','{"Open": "121.1"}','ok','running','',8.56052557433073735282e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,11,10,8,0,'Thought: The FetchValue_ByKey API works as intended. Before I go on, I update the tool description for the new API.
Action: UpdateTool
Action Input: {"newtool_desc": "FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {\"column1\": \"Open\", \"ReturnResult\": \"True\"}."}','UpdateTool','UpdateTool','UpdateTool {"newtool_desc": "FetchValue_ByKey[column, ReturnResult], which is an updated version of GetValue and takes its place. For example, {\"column1\": \"Open\", \"ReturnResult\": \"True\"}."}','The description for the new tool has been updated successfully.','ok','running','',9.46811822890567200694e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,12,11,9,0,'Thought: The opening price of coffee on 2002-01-10 was 121.1.
Action: Finish
Action Input: {"answer": "121.1"}','Finish','Finish','Finish {"answer": "121.1"}','Answer is CORRECT','correct','terminated','',9.00352252240727790599e-01,0,0.0,0,1.0,'121.1',1,1);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,13,11,9,1,'Thought: I check the last result once more.
Action: FetchValue_ByKey
Action Input: {"column1": "Open", "ReturnResult": "True"}','GetValue','FetchValue_ByKey','FetchValue_ByKey {"column1": "Open", "ReturnResult": "True"}','{"Open": "121.1"}','ok','running','',5.09772401761316884538e-01,0,0.0,0,0.0,'',0,0);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,14,13,10,0,'Thought: The opening price of coffee on 2002-01-10 was 121.1.
Action: Finish
Action Input: {"answer": "121.1"}','Finish','Finish','Finish {"answer": "121.1"}','Answer is CORRECT','correct','terminated','',9.36411723249317429207e-01,0,0.0,0,1.0,'121.1',1,1);
INSERT INTO "nodes" VALUES('easy-coffee-train-0000',1,15,13,10,1,'Thought: The opening price of coffee on 2002-01-10 was 121.1.
Action: Finish
Action Input: {"answer": "121.4"}','Finish','Finish','Finish {"answer": "121.4"}','Answer is INCORRECT','incorrect','terminated','',5.93099252476080529561e-01,0,0.0,0,-1.0,'121.4',0,0);
CREATE TABLE tools (
	key TEXT PRIMARY KEY, observation TEXT NOT NULL, outcome TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE trees (
	question TEXT NOT NULL, tree INTEGER NOT NULL, seed INTEGER NOT NULL,
	simulations INTEGER NOT NULL, idle INTEGER NOT NULL, calls INTEGER NOT NULL, samples INTEGER NOT NULL,
	PRIMARY KEY (question, tree)) WITHOUT ROWID;
INSERT INTO "trees" VALUES('easy-coffee-train-0000',0,6753749627847270901,2,0,13,26);
INSERT INTO "trees" VALUES('easy-coffee-train-0000',1,5097117138342073801,1,0,10,20);
COMMIT;
